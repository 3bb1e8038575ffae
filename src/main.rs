//! The binary: everything it does is told in `cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(topicwatch::cli::main() as u8)
}

/// Gives back what reading a long `jobs.toml` took; glibc's allocator keeps it for good. Its settings stand in `.cargo`.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;
