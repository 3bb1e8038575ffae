//! Finds every command in the source that a message, a hint or a page of the program names, and checks that the program
//! accepts it.

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser as _};
use topicwatch::cli::Cli;

/// Collects every source file without its comments.
fn sources(folder: &std::path::Path, all: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.to_str().unwrap().to_owned();
        if entry.is_dir() {
            sources(&entry, all);
        } else if name.ends_with(".rs") && !name.contains("/cli/examples/") {
            let text = std::fs::read_to_string(&entry).unwrap();
            let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            all.push((name, code.join("\n").replace("\\\n", " ")));
        }
    }
}

/// A command that a text names.
struct Named {
    words: Vec<String>,
    /// Whether the command is the whole text, for example between backticks; otherwise the text may continue after it.
    alone: bool,
}

/// Replaces values that the text fills in at run time: a number that is also valid as a name.
const VALUE: &str = "20260311";

/// The commands that a source file names.
fn named(code: &str) -> Vec<Named> {
    const BEGIN: &str = "topicwatch ";
    let mut all = Vec::new();
    for (at, _) in code.match_indices(BEGIN) {
        let (before, rest) = (&code[..at], &code[at..]);
        let quote =
            rest.char_indices().find(|(n, c)| *c == '"' && !rest[..*n].ends_with('\\')).map_or(rest.len(), |q| q.0);
        let (text, after) = (&rest[..quote], &rest[quote..]);
        let markup = before.ends_with("code { \"");
        let ticked = before.ends_with('`');
        let mut line = match (ticked, markup) {
            (true, _) => text.split('`').next().unwrap_or_default().to_owned(),
            (_, true) if after.starts_with("\" (") => format!("{text}{VALUE}"),
            (_, true) => text.to_owned(),
            // The sentence continues after these characters.
            _ => text.split(['`', ';', ',', ')', '|', '·', '&']).next().unwrap_or_default().to_owned(),
        };
        for end in [" | ", " > ", "\\n", "   "] {
            line = line.split(end).next().unwrap_or_default().to_owned();
        }
        while let Some((head, tail)) = line.split_once('{') {
            let Some((name, tail)) = tail.split_once('}') else { break };
            line = format!("{head}{}{tail}", if name == "role" { "read" } else { VALUE });
        }
        let line = line.replace("\\\"", "");
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        all.push(Named { words, alone: ticked || markup });
    }
    all
}

/// Whether the program accepts a command line, perhaps with values that the text leaves out.
fn taken(words: &[String]) -> bool {
    let option = words.last().is_some_and(|word| word.starts_with("--"));
    match Cli::try_parse_from(words) {
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::InvalidValue && option => {
            Cli::try_parse_from(words.iter().map(String::as_str).chain([VALUE])).is_ok()
        }
        Err(error) => matches!(
            error.kind(),
            ErrorKind::MissingRequiredArgument
                | ErrorKind::MissingSubcommand
                | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
                | ErrorKind::DisplayHelp
        ),
    }
}

/// Why a command must not be named; `None` when it is fine.
fn wrong(named: &Named) -> Option<String> {
    let line = named.words.join(" ");
    let program = Cli::command();
    let verb =
        |name: &str| program.get_subcommands().find(|verb| verb.get_name() == name).map(|verb| !verb.is_hide_set());
    match named.words.get(1).map(|name| verb(name)) {
        // A sentence about the program, not a command.
        None | Some(None) if !named.alone => return None,
        Some(Some(true)) => {}
        _ => return Some(format!("{line}: no verb that the help shows")),
    }
    let long = (2..=named.words.len()).rev().find(|many| taken(&named.words[..*many])).unwrap_or(0);
    let rest = named.words.get(long..).unwrap_or_default();
    let whole = if named.alone { rest.is_empty() } else { long > 0 && !rest.iter().any(|word| word.starts_with('-')) };
    (!whole).then(|| format!("{line}: not understood"))
}

#[test]
fn every_command_named_in_a_message_is_accepted_by_the_program() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    for folder in ["src", "core/src"] {
        sources(&root.join(folder), &mut all);
    }
    let (mut many, mut mistakes) = (0, Vec::new());
    for (path, code) in &all {
        for named in named(code) {
            many += 1;
            mistakes.extend(wrong(&named).map(|why| format!("{path}: {why}")));
        }
    }
    assert!(many > 150, "{many}");
    assert!(mistakes.is_empty(), "{mistakes:#?}");
}

#[test]
fn unknown_commands_in_messages_are_found() {
    for (code, bad) in [
        ("\"topicwatch coverage --topic {topic} shows why, and the gaps that remain\"", true),
        ("\"topicwatch coverage {topic} shows why, and the gaps that remain\"", false),
        ("\"run it: topicwatch once --topic {name}\"", false),
        ("\"is `topicwatch rum` up?\"", true),
        ("code { \"topicwatch rescore\" } \" has one scorer\"", true),
        ("code { \"topicwatch once \" (card.topic) }", true),
        ("code { \"topicwatch once --topic \" (card.topic) }", false),
        ("\"as `topicwatch items --search` takes them\"", false),
        ("\"as `topicwatch items --serch` takes them\"", true),
        ("\"topicwatch searches for topics\"", false),
    ] {
        let all = named(code);
        assert_eq!((all.len(), all.iter().any(|one| wrong(one).is_some())), (1, bad), "{code}");
    }
}
