//! The overview that `topicwatch --help` prints: verbs under headings, everyday ones first. Texts come from the verbs'
//! definitions.

use clap::{Command, CommandFactory as _, FromArgMatches as _};

use crate::cli::export::outbox_args::OutboxArgs;
use crate::cli::look::alerts::AlertsArgs;
use crate::cli::look::items::ItemsArgs;
use crate::cli::maintain::db::DbArgs;
use crate::cli::token::TokenArgs;
use crate::cli::topic::TopicArgs;
use crate::cli::verbs::Cli;
use crate::cli::wiring::deferred::define;

/// Headings and the verbs below them. Every visible verb is in one of them; a test checks that.
const GROUPS: &[(&str, &[&str])] = &[
    ("Every day", &["once", "run", "status", "show", "report", "export"]),
    ("Set up", &["init", "check", "try", "plan", "sandbox", "completions"]),
    ("Run", &["topic", "serve", "token", "mcp"]),
    ("Look", &["runs", "diff", "items", "terms", "coverage", "alerts"]),
    ("Deliver", &["outbox", "score"]),
    ("Maintain", &["db", "health"]),
];

/// Returns the full command definition, with the verbs grouped in the overview. Their arguments are there once it is
/// built.
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
    let verbs = all.get_subcommands().filter(|verb| !verb.is_hide_set()).cloned().map(with_own_verbs);
    Command::new("topicwatch").version(env!("CARGO_PKG_VERSION")).args(all.get_arguments().cloned()).subcommands(verbs)
}

/// Defines a verb that has verbs of its own now, not when it is used: `help` copies them before that.
fn with_own_verbs(verb: Command) -> Command {
    let define_verb: fn(Command) -> Command = match verb.get_name() {
        "topic" => define::<TopicArgs>,
        "items" => define::<ItemsArgs>,
        "alerts" => define::<AlertsArgs>,
        "outbox" => define::<OutboxArgs>,
        "db" => define::<DbArgs>,
        "token" => define::<TokenArgs>,
        _ => return verb,
    };
    define_verb(verb.defer(|verb| verb))
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
    fn a_verb_has_the_same_text_before_and_after_its_arguments_are_defined() {
        for (mut built, plain) in [(command(), command()), (visible(), command())] {
            built.build();
            for verb in built.get_subcommands().filter(|verb| verb.get_name() != "help") {
                let texts = |verb: &Command| {
                    [verb.get_about(), verb.get_long_about(), verb.get_after_help()]
                        .map(|text| text.map(ToString::to_string))
                };
                let before = plain.find_subcommand(verb.get_name()).map(texts);
                assert_eq!(Some(texts(verb)), before, "{}", verb.get_name());
            }
        }
    }

    #[test]
    fn completions_know_the_verbs_of_verbs_also_after_help() {
        let mut all = visible();
        all.build();
        let names = |command: Option<&Command>| -> Vec<String> {
            let own = command.into_iter().flat_map(Command::get_subcommands).map(|verb| verb.get_name().to_owned());
            own.filter(|name| name != "help").collect()
        };
        let help = all.find_subcommand("help");
        let mut groups = 0;
        for verb in all.get_subcommands().filter(|verb| verb.get_name() != "help") {
            let own = names(Some(verb));
            groups += usize::from(!own.is_empty());
            assert_eq!(names(help.and_then(|help| help.find_subcommand(verb.get_name()))), own, "{}", verb.get_name());
            assert!(verb.get_arguments().all(|arg| arg.get_long() != Some("version")), "{}", verb.get_name());
        }
        assert_eq!(groups, 6);
    }
}
