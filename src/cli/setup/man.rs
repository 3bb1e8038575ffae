//! `man`: writes the manual pages that packages install, from the same definition as `--help`.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::cli::terminal::failure::{Exit, Failure};
use crate::files::{self, Protected};

#[derive(Debug, Args)]
pub struct ManArgs {
    /// Folder to write them to
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// Writes a page for the program and one for each verb that is not hidden. The output is reproducible.
pub(in crate::cli) fn run(args: &ManArgs, command: Command) -> Result<Exit, Failure> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut commands = vec![command];
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands().filter(|sub| !sub.is_hide_set()).cloned());
        let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
        let file = args.folder.join(format!("{name}.1"));
        files::replace_file(&file, &page(command)?, &Protected::databases())
            .map_err(|error| Failure::unwritable(&file, &error))?;
    }
    Ok(Exit::Ok)
}

fn page(command: Command) -> std::io::Result<Vec<u8>> {
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (options, verbs) = (command.get_arguments().count() > 0, command.has_subcommands());
    let man = Man::new(command).source(concat!("topicwatch ", env!("CARGO_PKG_VERSION")));
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if options {
        man.render_options_section(&mut page)?;
    }
    if verbs {
        man.render_subcommands_section(&mut page)?;
    }
    page.extend(notes(&after).to_roff().into_bytes());
    Ok(page)
}

/// Converts the end of a help text to roff: headings become sections, indented lines stay as they are.
fn notes(text: &str) -> Roff {
    let mut roff = Roff::new();
    if !text.is_empty() && !text.lines().next().is_some_and(|line| line.ends_with(':')) {
        roff.control("SH", ["NOTES"]);
    }
    let mut verbatim = false;
    for line in text.lines() {
        if line.starts_with(' ') != verbatim {
            verbatim = !verbatim;
            roff.control(if verbatim { "nf" } else { "fi" }, []);
        }
        match line.strip_suffix(':') {
            Some(heading) if !verbatim => roff.control("SH", [heading.to_uppercase().as_str()]),
            _ if line.is_empty() => roff.control("PP", []),
            _ => roff.text([roman(line)]),
        };
    }
    if verbatim {
        roff.control("fi", []);
    }
    roff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_become_sections_and_indented_lines_stay_as_they_are() {
        let text = "Old names work.\n\nExamples:\n  topicwatch once\n  .hidden 'a'\n\nNeeds nothing:\nat all.";
        let expected = "\
.SH NOTES
Old names work.
.PP
.SH EXAMPLES
.nf
  topicwatch once
  .hidden 'a'
.fi
.PP
.SH \"NEEDS NOTHING\"
at all.
";
        assert_eq!(notes(text).to_roff(), expected);
        assert_eq!(notes("").to_roff(), "");
    }
}
