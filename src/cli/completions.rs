//! `completions`: scripts for shells, made from the same definition as `--help`.

use clap::Command;

use super::args::CompletionsArgs;
use super::{Exit, Failure, output};

pub(super) fn run(args: &CompletionsArgs, mut command: Command) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "topicwatch", &mut script);
    output::text(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}
