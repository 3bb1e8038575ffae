//! Gives a hint on a misplaced word, as in `topicwatch items acme`: some verbs take a topic as an argument, others as
//! an option.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command, FromArgMatches as _};

use crate::cli::wiring::options::{Common, shell_word};

/// Returns a hint on an error of a command line with these words.
pub(in crate::cli) fn hint(
    error: &clap::Error,
    command: &Command,
    words: impl IntoIterator<Item = std::ffi::OsString>,
) -> Option<String> {
    let kind = match error.kind() {
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        _ => return None,
    };
    let Some(ContextValue::String(word)) = error.get(kind) else { return None };
    if word.is_empty() || word.starts_with('-') {
        return None;
    }
    // Parse again without the word, as far as possible, to find out which verb and options were given.
    let mut words: Vec<std::ffi::OsString> = words.into_iter().collect();
    let at = words.iter().rposition(|one| one == word.as_str())?;
    words.remove(at);
    let matches = command.clone().ignore_errors(true).try_get_matches_from(words).ok()?;
    let (verbs, verb) = verb(command, &matches)?;
    let has = |option: &str| verb.get_arguments().any(|arg| arg.get_long() == Some(option));
    let common = Common::from_arg_matches(&matches).ok();
    let line = |verb: &str| common.as_ref().map_or_else(|| format!("topicwatch {verb}"), |common| common.command(verb));
    let quoted = shell_word(word);
    if word.ends_with(".toml") {
        return Some(format!("name the configuration file with --config: topicwatch {verbs} --config {quoted}"));
    }
    let meant = match verbs.as_str() {
        // These verbs are about all topics.
        "status" => format!("show {quoted}"),
        "run" => format!("once --topic {quoted}"),
        _ if has("topic") => format!("{verbs} --topic {quoted}"),
        _ => return None,
    };
    Some(format!("is {quoted} a topic? {}", line(&meant)))
}

/// Returns the innermost verb, and its name with those of the verbs around it.
fn verb<'c>(command: &'c Command, matches: &ArgMatches) -> Option<(String, &'c Command)> {
    let (name, matches) = matches.subcommand()?;
    let found = command.find_subcommand(name)?;
    let name = found.get_name();
    match verb(found, matches) {
        Some((inner, found)) => Some((format!("{name} {inner}"), found)),
        None => Some((name.to_owned(), found)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::help::command;

    #[test]
    fn a_topic_in_the_wrong_place_is_put_into_the_right_one() {
        let of = |line: &str| {
            let words: Vec<std::ffi::OsString> = line.split('|').map(Into::into).collect();
            let error = command().try_get_matches_from(&words).err()?;
            hint(&error, &command(), words)
        };
        for (line, expected) in [
            ("items|acme", Some("is acme a topic? topicwatch items --topic acme")),
            ("items|list|acme", Some("is acme a topic? topicwatch items list --topic acme")),
            ("runs|acme|--json", Some("is acme a topic? topicwatch runs --topic acme")),
            ("export|--out|x.csv|acme", Some("is acme a topic? topicwatch export --topic acme")),
            ("once|acme", Some("is acme a topic? topicwatch once --topic acme")),
            ("plan|it's", Some(r"is 'it'\''s' a topic? topicwatch plan --topic 'it'\''s'")),
            ("db|rescore|acme", Some("is acme a topic? topicwatch db rescore --topic acme")),
            ("status|acme", Some("is acme a topic? topicwatch show acme")),
            ("run|acme", Some("is acme a topic? topicwatch once --topic acme")),
            (
                "--config|my.toml|items|acme|--database|sqlite:x.db",
                Some("is acme a topic? topicwatch items --topic acme --config my.toml --database sqlite:x.db"),
            ),
            ("items|\u{1b}[2J", Some(r"is '\u{1b}[2J' a topic? topicwatch items --topic '\u{1b}[2J'")),
            ("check|my.toml", Some("name the configuration file with --config: topicwatch check --config my.toml")),
            // No word was misplaced, or the word is not a topic.
            ("items|--topics|acme", None),
            ("show|acme|globex", None),
            ("alerts|acme", None),
            ("acme", None),
            ("items|--limit|x", None),
            ("items|--topic|acme", None),
        ] {
            assert_eq!(of(&format!("topicwatch|{line}")).as_deref(), expected, "{line}");
        }
    }
}
