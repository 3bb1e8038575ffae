//! `completions`: completion scripts for shells, made from the same definition as `--help`.

use clap::{Args, Command};

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;

#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

pub(in crate::cli) fn run(args: &CompletionsArgs, mut command: Command) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "topicwatch", &mut script);
    output::text(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}
