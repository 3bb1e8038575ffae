//! The binary: everything it does is told in `cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(topicwatch::cli::main() as u8)
}
