//! The binary; `cli` does all the work.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(topicwatch::cli::main() as u8)
}

/// jemalloc returns the memory used for reading a long `jobs.toml`; glibc's allocator keeps it. It is configured in
/// `.cargo`.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;
