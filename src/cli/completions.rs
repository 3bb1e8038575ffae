//! `completions`: scripts for shells, made from the same definition as `--help`.

use clap::CommandFactory as _;

use super::args::{Cli, CompletionsArgs};
use super::{Exit, Failure, output};

pub(super) fn run(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "topicwatch", &mut script);
    output::text(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}
