//! The overview that `topicwatch --help` prints: verbs under headings, everyday ones first. Texts come from the verbs'
//! definitions.

use clap::{Command, CommandFactory as _, FromArgMatches as _};

use crate::cli::verbs::Cli;

/// Headings and the verbs below them. Every visible verb is in one of them; a test checks that.
const GROUPS: &[(&str, &[&str])] = &[
    ("Every day", &["once", "run", "status", "show", "report", "export"]),
    ("Set up", &["init", "check", "try", "plan", "sandbox", "completions"]),
    ("Run", &["topic", "serve", "token", "mcp"]),
    ("Look", &["runs", "diff", "items", "terms", "coverage", "alerts"]),
    ("Deliver", &["outbox", "score"]),
    ("Maintain", &["db", "health"]),
];

/// Returns the full command definition, with the verbs grouped in the overview.
pub(in crate::cli) fn command() -> Command {
    let command = Cli::command();
    let mut template = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (heading, verbs) in GROUPS {
        template.push_str(&format!("\n{heading}:\n"));
        for verb in verbs.iter().filter_map(|verb| command.find_subcommand(verb)) {
            let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
            template.push_str(&format!("  {:<11}  {about}\n", verb.get_name()));
        }
    }
    template.push_str("\nOptions of every command:\n{options}{after-help}");
    command.help_template(template)
}

/// Returns the definition without the hidden verbs, for completions.
pub(in crate::cli) fn visible() -> Command {
    let all = Cli::command();
    let verbs = all.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned();
    Command::new("topicwatch").version(env!("CARGO_PKG_VERSION")).args(all.get_arguments().cloned()).subcommands(verbs)
}

/// Parses the command line of this process.
pub(in crate::cli) fn parse() -> Result<Cli, clap::Error> {
    let mut command = command();
    let matches = command.try_get_matches_from_mut(std::env::args_os())?;
    Cli::from_arg_matches(&matches).map_err(|wrong| wrong.format(&mut command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_visible_verb_is_in_one_group_and_every_line_fits_eighty_columns() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, verbs)| verbs.iter().copied()).collect();
        grouped.sort_unstable();
        let all = command();
        let mut visible: Vec<&str> =
            all.get_subcommands().filter(|verb| !verb.is_hide_set()).map(Command::get_name).collect();
        visible.sort_unstable();
        assert_eq!(grouped, visible);
        let help = command().render_help().to_string();
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        for verb in visible {
            assert!(help.contains(&format!("\n  {verb} ")), "{verb} is missing:\n{help}");
        }
    }

    #[test]
    fn completions_offer_the_version_only_where_it_is_accepted() {
        let mut all = visible();
        all.build();
        let offers = |command: &Command| command.get_arguments().any(|arg| arg.get_long() == Some("version"));
        assert!(offers(&all));
        assert!(all.get_subcommands().filter(|verb| verb.get_name() != "help").all(|verb| !offers(verb)));
    }
}
