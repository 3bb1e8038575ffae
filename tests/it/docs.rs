//! Compares README and docs/ with the program: help, keys, columns, exit codes, commands, links and names of tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{CommandFactory as _, Parser as _};
use topicwatch::cli::{Cli, Exit};
use topicwatch::config::keys::{KEYS, Section};
use topicwatch::export::ExportKind;
use topicwatch::search::ErrorClass;

use crate::support::databases::sqlite;
use crate::support::program::{NINE, Place, Program};
use crate::support::replaced_page::replace;
use crate::support::service::Sandbox;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn page(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every page for people, with its path.
fn pages() -> Vec<(String, String)> {
    let top = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"].map(str::to_owned);
    let mut paths: Vec<String> = files(&["docs"], "md").into_iter().chain(top).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), page(&path))).collect()
}

/// The fenced code blocks in a language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(named) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
            if named == language {
                blocks.push(block.join("\n"));
            }
        }
    }
    blocks
}

/// The part of a page from a heading to the next.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no heading {heading}"));
    rest.split("\n## ").next().unwrap()
}

/// The texts between backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The first cell of each row of each table in a text.
fn first_cells(text: &str) -> Vec<&str> {
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    let head = |at: usize| rows.get(at + 1).is_some_and(|next| next.starts_with("|---"));
    let body = rows.iter().enumerate().filter(|(at, row)| !row.starts_with("|---") && !head(*at));
    body.map(|(_, row)| row.split('|').nth(1).unwrap().trim()).collect()
}

/// Every runnable command with its full name, including those in nested groups.
fn leaves(name: &str, command: &clap::Command, all: &mut Vec<(String, clap::Command)>) {
    let shown = |sub: &&clap::Command| !sub.is_hide_set() && sub.get_name() != "help";
    let mut below = command.get_subcommands().filter(shown).peekable();
    if below.peek().is_none() {
        all.push((name.trim_start().to_owned(), command.clone()));
    }
    for sub in below {
        leaves(&format!("{name} {}", sub.get_name()), sub, all);
    }
}

/// The time formats, as many options describe them.
const TIMES: &str = "2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d ago";

/// The options and arguments of a command, each with its help.
fn options(command: &clap::Command) -> Vec<(String, String)> {
    let reported = |arg: &&clap::Arg| !arg.is_hide_set() && !arg.is_global_set() && arg.get_id() != "help";
    let named = |arg: &clap::Arg| {
        let values: String = arg
            .get_value_names()
            .filter(|_| arg.get_action().takes_values())
            .map_or_else(String::new, |names| names.iter().map(|name| format!(" <{name}>")).collect());
        match (arg.get_long(), arg.get_short()) {
            (Some(long), _) => format!("--{long}{values}"),
            (None, Some(short)) => format!("-{short}{values}"),
            (None, None) => values.trim_start().to_owned(),
        }
    };
    let help = |arg: &clap::Arg| arg.get_help().map(ToString::to_string).unwrap_or_default();
    // As `--help` shows them after the text.
    let taken = |arg: &clap::Arg| {
        let takes = arg.get_action().takes_values();
        let values: Vec<String> = match takes && !arg.is_hide_possible_values_set() {
            true => arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect(),
            false => Vec::new(),
        };
        let defaults: Vec<String> = match takes && !arg.is_hide_default_value_set() {
            true => arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect(),
            false => Vec::new(),
        };
        let all = if values.is_empty() { String::new() } else { format!(" ({})", values.join("|")) };
        let default = if defaults.is_empty() { String::new() } else { format!(" [default: {}]", defaults.join(", ")) };
        format!("{all}{default}")
    };
    let option = |arg: &clap::Arg| {
        // The page describes the time formats once at the top.
        let help = help(arg).replace(&format!(": {TIMES}"), "").replace(TIMES, "this time");
        match help.strip_suffix(" (repeat for more)") {
            Some(once) => (format!("{}…", named(arg)), format!("{once}{}", taken(arg))),
            None => (named(arg), format!("{help}{}", taken(arg))),
        }
    };
    command.get_arguments().filter(reported).map(option).collect()
}

/// The command reference: each command with its arguments and options. Options shared by at least three commands are
/// described once.
fn commands() -> String {
    let mut root = Cli::command();
    root.build();
    let mut all = Vec::new();
    leaves("", &root, &mut all);
    let every: Vec<(String, String)> = all.iter().flat_map(|(_, command)| options(command)).collect();
    let often = |option: &(String, String)| {
        option.0.starts_with("--") && every.iter().filter(|other| *other == option).count() > 2
    };
    let shared: BTreeSet<&(String, String)> = every.iter().filter(|option| often(option)).collect();
    let mut text = String::from(
        "# Commands\n\nFor looking up a command and its options. `--help` says the same, with examples. Written by a test; do not edit.\n\n\
         Every command takes `--config FILE`, `--database URL`, `-q`, `-v` and `--log-format`. Options with … can be repeated. ",
    );
    text.push_str(&format!("Times are {TIMES}. These options are explained only here:\n\n"));
    for (named, help) in &shared {
        text.push_str(&format!("- `{named}`: {help}\n"));
    }
    for (name, command) in all {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        text.push_str(&format!("\n## {name}\n\n{about}.\n"));
        for (at, option) in options(&command).iter().enumerate() {
            let help = if often(option) { String::new() } else { format!(": {}", option.1) };
            text.push_str(&format!("{}- `{}`{help}\n", if at == 0 { "\n" } else { "" }, option.0));
        }
    }
    text
}

/// `UPDATE_DOCS=1` rewrites the page.
#[test]
fn commands_md_matches_the_programs_help() {
    let path = "docs/reference/commands.md";
    if std::env::var_os("UPDATE_DOCS").is_some() {
        replace(&root().join(path), &commands());
    }
    assert!(page(path) == commands(), "{path} is old: UPDATE_DOCS=1 rewrites it");
}

#[test]
fn every_configuration_key_is_documented_with_its_default() {
    let page = page("docs/reference/configuration.md");
    let part = page.as_str();
    let mut reported: Vec<String> = first_cells(part).iter().flat_map(|cell| quoted(cell)).map(str::to_owned).collect();
    let mut keys: Vec<String> = KEYS
        .iter()
        .map(|key| match key.default {
            Some(default) => format!("{} = {default}", key.name),
            None => key.name.to_owned(),
        })
        .collect();
    reported.sort();
    keys.sort();
    assert_eq!(reported, keys, "left: docs/reference/configuration.md, right: the program");
    let sections = [
        Section::Service,
        Section::Database,
        Section::Scheduler,
        Section::Retention,
        Section::Web,
        Section::Topic,
        Section::Report,
        Section::Channel,
        Section::Export,
    ];
    for name in sections.map(Section::as_str) {
        assert!(part.contains(&format!("[{name}]")), "{name}");
    }
}

#[test]
fn the_first_readme_file_is_valid_and_has_at_most_twelve_lines() {
    let file = blocks(&page("README.md"), "toml").remove(0);
    assert!(file.lines().count() <= 12);
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("jobs.toml"), file).unwrap();
    let checked = Program::at(folder.path(), &["check"]).run();
    assert_eq!((checked.code, checked.err.as_str()), (Some(0), ""), "{checked}");
    assert!(checked.out.contains("1 topic;"), "{checked}");
    // One day of the year is longer than the window because of daylight saving time; a run makes up for it by itself.
    let planned = Program::at(folder.path(), &["plan", "--at", NINE]).run();
    for shown in [&checked, &planned] {
        assert_eq!(shown.code, Some(0), "{shown}");
        assert!(!shown.out.contains("rarer") && !shown.out.contains("not covered"), "{shown}");
    }
}

/// Cron sets no environment: the README's setup takes its secrets from files.
#[test]
fn the_files_of_the_readme_need_no_variable_when_cron_starts_them() {
    use std::os::unix::fs::OpenOptionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("jobs.toml"), blocks(&page("README.md"), "toml")[..2].join("\n\n")).unwrap();
    let mut secret = std::fs::OpenOptions::new();
    let secret = secret.create_new(true).write(true).mode(0o600).open(folder.path().join("mail-password"));
    std::io::Write::write_all(&mut secret.unwrap(), b"correct horse").unwrap();
    let checked = Program::at(folder.path(), &["check", "--json"]).run();
    let listed: serde_json::Value = serde_json::from_str(&checked.out).unwrap();
    assert_eq!(listed["channels"][0]["name"], "mail", "{checked}");
    assert_eq!(listed["channels"][0]["problem"], serde_json::Value::Null, "{checked}");

    // The line of the crontab and the key's file, as the README writes them, against a service on loopback.
    let readme = page("README.md");
    let (sandbox, file) = (Sandbox::at("2026-03-11T09:00:00Z", &[]), folder.path().join("jobs.toml"));
    let (key_line, key) = (r#"api_key_file = "/etc/topicwatch/key""#, folder.path().join("key"));
    assert!(readme.contains(key_line));
    let service =
        format!("[service]\n{}{}\n", sandbox.lines(), key_line.replace("/etc/topicwatch/key", key.to_str().unwrap()));
    std::fs::write(&file, std::fs::read_to_string(&file).unwrap().replace("[service]\n", &service)).unwrap();
    let line = blocks(&readme, "cron")[0].trim().to_owned();
    let words: Vec<&str> = line.split(' ').skip(6).collect();
    let words: Vec<&str> = words
        .iter()
        .map(|word| if *word == "/etc/topicwatch/jobs.toml" { file.to_str().unwrap() } else { word })
        .collect();
    assert_eq!(words[1..].join(" "), format!("{} --quiet once --due", file.display()), "{line}");
    let by_cron = || {
        let program = Program::at(Path::new("/"), &words).without_env("TOPICWATCH_API_KEY").without_env("HOME");
        program.without_env("COLUMNS").without_env("TZ").run()
    };
    let without_key = by_cron();
    assert!(without_key.code == Some(2) && without_key.err.contains("key"), "{without_key}");
    let mut secret = std::fs::OpenOptions::new();
    let secret = secret.create_new(true).write(true).mode(0o600).open(key);
    std::io::Write::write_all(&mut secret.unwrap(), b"key-of-cron").unwrap();
    let first = by_cron();
    assert!(first.code == Some(0) && first.err.is_empty(), "{first}");
}

#[test]
fn every_command_has_examples_under_its_help() {
    let mut root = Cli::command();
    root.build();
    let mut all = Vec::new();
    leaves("", &root, &mut all);
    assert!(all.len() > 40, "{}", all.len());
    let without = all.iter().filter(|(name, command)| {
        let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let example = format!("topicwatch {}", name.split(' ').next().unwrap());
        !(after.starts_with("Examples:\n") && after.contains(&example))
    });
    assert_eq!(without.map(|(name, _)| name.as_str()).collect::<Vec<_>>(), Vec::<&str>::new());
    for (name, command) in all {
        let help = command.term_width(80).render_help().to_string();
        let wide = help.lines().filter(|line| line.chars().count() > 80).collect::<Vec<_>>();
        assert!(wide.is_empty(), "topicwatch {name} --help has lines wider than 80 columns: {wide:?}");
    }
}

#[test]
fn exit_codes_md_lists_the_programs_exit_codes() {
    let page = page("docs/reference/exit-codes.md");
    let (_, table) = page.split_once("| exit | meaning |").unwrap();
    let table = table.split("\n\n").next().unwrap();
    let output: Vec<i32> = table.lines().filter_map(|row| row.split('|').nth(1)?.trim().parse().ok()).collect();
    let all = [Exit::Ok, Exit::Unexpected, Exit::Usage, Exit::Searches, Exit::Store, Exit::Output, Exit::Interrupted];
    assert_eq!(output, all.map(|exit| exit as i32));
    let help = Program::at(&root(), &["--help"]).run().out;
    let (_, codes) = help.split_once("Exit codes:").unwrap();
    for code in output {
        assert!(codes.split([' ', '\n']).any(|word| word == code.to_string()), "{code}: {codes}");
    }
}

#[test]
fn exit_codes_md_lists_the_programs_error_classes() {
    let page = page("docs/reference/exit-codes.md");
    let cells = first_cells(section(&page, "## Classes of errors"));
    let listed: BTreeSet<&str> = cells.into_iter().flat_map(quoted).collect();
    // Besides those of calls: of findings that the database refuses, and of runs.
    let others = ["mixed", "interrupted", "lease_lost", "store", "output", "definition"];
    let all: BTreeSet<&str> = ErrorClass::ALL.iter().map(|class| class.as_str()).chain(others).collect();
    assert_eq!(listed, all);
}

/// `UPDATE_DOCS=1` rewrites the page.
#[test]
fn every_column_of_every_export_is_documented() {
    let (path, mark) = ("docs/reference/exports.md", " -->\n\n");
    let reported = page(path);
    let (words, tables) = reported.split_once(mark).unwrap();
    let tables = if std::env::var_os("UPDATE_DOCS").is_some() {
        let whole = format!("{words}{mark}{}", topicwatch::export::reference_tables());
        replace(&root().join(path), &whole);
        whole.split_once(mark).unwrap().1.to_owned()
    } else {
        tables.to_owned()
    };
    assert!(tables == topicwatch::export::reference_tables(), "{path} is old: UPDATE_DOCS=1 rewrites it");
    for what in ExportKind::ALL {
        let names: Vec<&str> = what.columns().iter().map(|column| column.name).collect();
        let reported = first_cells(section(&tables, &format!("## {what}")));
        assert_eq!(reported.iter().map(|cell| cell.trim_matches('`')).collect::<Vec<_>>(), names, "{what}");
        assert!(what.columns().iter().all(|column| !column.meaning.is_empty()), "{what}");
    }
}

/// The anchor of a heading as code forges generate it.
fn anchor_of(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn docs_stay_within_their_word_limits() {
    let words = |path: &str| page(path).split_whitespace().count();
    assert!(words("README.md") <= 1_300, "{}", words("README.md"));
    assert!(words("docs/ARCHITECTURE.md") <= 3_000, "{}", words("docs/ARCHITECTURE.md"));
    // In tables only words count, not the lines. docs/dev is for people who work on the program.
    let read = |path: &String| page(path).split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
    let all: usize = files(&["docs"], "md").iter().filter(|path| !path.starts_with("docs/dev/")).map(read).sum();
    assert!(all <= 25_000, "docs has {all} words");
}

#[test]
fn the_table_of_contents_lists_every_page() {
    let contents = page("docs/SUMMARY.md");
    for path in files(&["docs"], "md").into_iter().filter(|path| path != "docs/SUMMARY.md") {
        assert!(contents.contains(&format!("]({})", &path["docs/".len()..])), "docs/SUMMARY.md does not name {path}");
    }
}

/// The README links to each question, and each answer is one click further.
#[test]
fn twelve_questions_are_answered_within_one_click() {
    assert!(page("README.md").contains("(docs/how-to/questions.md)"));
    let page = page("docs/how-to/questions.md");
    let numbered: Vec<&str> = page.split("\n").filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
    assert_eq!(numbered.len(), 12);
    assert!(numbered.iter().all(|line| line.contains("?**")), "{numbered:#?}");
    assert!(page.matches("](").count() >= 12);
}

/// Messages, comments and tests name pages by path.
#[test]
fn every_docs_page_named_in_code_exists() {
    let mut named = 0;
    for path in files(&["src", "core/src", "core/tests", "tests", "scripts", "benches"], "rs") {
        for rest in page(&path).split("docs/").skip(1) {
            let name: String =
                rest.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '/' | '-' | '_' | '.')).collect();
            let name = name.trim_end_matches('.');
            if name.ends_with(".md") && !name.contains("..") {
                assert!(root().join("docs").join(name).exists(), "{path} names docs/{name}");
                named += 1;
            }
        }
    }
    assert!(named > 20, "{named}");
}

/// The targets of the links of a page to files of the repository.
fn local_links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).filter(|link| !link.contains("://"))
}

#[test]
fn every_link_target_exists() {
    let mut links = 0;
    for (path, text) in pages() {
        for link in local_links(&text) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => root().join(&path),
                file => root().join(Path::new(&path).parent().unwrap()).join(file),
            };
            assert!(target.exists(), "{path} names {link}");
            if !anchor.is_empty() && target.extension().is_some_and(|found| found == "md") {
                let text = std::fs::read_to_string(&target).unwrap();
                let there: Vec<String> = text.lines().filter(|line| line.starts_with('#')).map(anchor_of).collect();
                assert!(there.iter().any(|known| known == anchor), "{path}: {link} has no such heading: {there:?}");
            }
            links += 1;
        }
    }
    assert!(links > 15, "{links}");
}

/// A path that leaves `docs` and comes back is dead on the site, too: there is no folder above.
#[test]
fn links_in_docs_stay_inside_docs() {
    let mut links = 0;
    for path in files(&["docs"], "md") {
        for link in local_links(&page(&path)) {
            let (file, _) = link.split_once('#').unwrap_or((link, ""));
            let (folder, _) = path.rsplit_once('/').unwrap();
            let mut depth = folder.split('/').count();
            for part in file.split('/') {
                depth = match part {
                    ".." => depth - 1,
                    "" | "." => depth,
                    _ => depth + 1,
                };
                assert!(
                    depth > 0 && !file.starts_with('/'),
                    "{path} links to {link}, which the site of the docs does not have: its files are those in docs/. \
                     Write the name as code, such as `deploy/topicwatch.service`, or link to a page in docs/"
                );
            }
            links += 1;
        }
    }
    assert!(links > 100, "{links}");
}

/// Splits a command line into words as a shell does, up to a pipe, a redirection or a comment.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (c, quote) {
            (_, Some(open)) if c == open => quote = None,
            (_, Some(_)) => word.get_or_insert_default().push(c),
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (' ', None) => words.extend(word.take()),
            ('|' | '>' | '#' | ';', None) if word.is_none() => return words,
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Whether the program would accept a command line of a page; `None` when the line is something else.
fn understood(line: &str) -> Option<Result<(), String>> {
    let line = line.trim_start().trim_start_matches("$ ");
    let mut words =
        words(line.strip_prefix("cargo run -- ").map_or(line.to_owned(), |rest| format!("topicwatch {rest}")).as_str());
    // A crontab line starts with its five time fields.
    if words.len() > 5 && words[5].ends_with("topicwatch") {
        words.drain(..5);
        words[0] = "topicwatch".into();
    }
    if words.first().is_none_or(|first| first != "topicwatch") {
        return None;
    }
    Some(match Cli::try_parse_from(&words) {
        Err(error) if error.use_stderr() => Err(format!("{line}\n{error}")),
        _ => Ok(()),
    })
}

#[test]
fn every_command_in_the_docs_parses() {
    let mut lines = 0;
    for (path, text) in pages() {
        for line in ["console", "sh", "cron"]
            .iter()
            .flat_map(|language| blocks(&text, language))
            .collect::<Vec<_>>()
            .join("\n")
            .lines()
        {
            if let Some(understood) = understood(line) {
                understood.unwrap_or_else(|error| panic!("{path}: {error}"));
                lines += 1;
            }
        }
    }
    assert!(lines > 10, "{lines}");
}

#[test]
fn every_help_example_parses_and_fits_a_terminal() {
    let command = Cli::command();
    let verbs = || command.get_subcommands().filter(|c| c.get_name() != "help");
    // Commands of a group have examples of their own where their definition has some.
    let of_groups = verbs().flat_map(clap::Command::get_subcommands).filter(|c| c.get_after_help().is_some());
    for command in verbs().chain(of_groups) {
        let after = command.get_after_help().unwrap_or_else(|| panic!("{} has no examples", command.get_name()));
        let after = after.to_string();
        let mut examples = 0;
        for line in after.lines() {
            assert!(line.chars().count() <= 80, "{line}");
            // Three or more spaces separate an explanation, which a shell takes for a comment.
            let explained = line.trim_start().split_once("   ").map(|(_, why)| why.trim_start());
            let typed = line.trim_start().starts_with("topicwatch ");
            assert!(!typed || explained.is_none_or(|why| why.starts_with("# ")), "{line}");
            let line = line.trim_start().split("   ").next().unwrap();
            if let Some(understood) = understood(line) {
                understood.unwrap_or_else(|error| panic!("{}: {error}", command.get_name()));
                examples += 1;
            }
        }
        assert!(examples > 0, "{}", command.get_name());
        assert!(command.get_about().is_some());
    }
}

/// Every file with this extension below these folders, relative to the root.
fn files(folders: &[&str], extension: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut folders: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|found| found == extension) {
                all.push(entry.strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    all
}

#[test]
fn every_promise_names_existing_tests() {
    let part = page("docs/dev/promises.md");
    let named: Vec<&str> =
        part.lines().filter(|line| line.starts_with("| ")).flat_map(quoted).filter(|name| name.contains('_')).collect();
    assert!(named.len() > 10);
    let mut there = BTreeSet::new();
    for path in files(&["src", "core/src", "core/tests", "tests"], "rs") {
        let text = page(&path);
        there.extend(text.split("fn ").skip(1).filter_map(|rest| rest.split('(').next().map(str::to_owned)));
    }
    for test in named {
        assert!(there.contains(test), "docs/dev/promises.md names the test {test}");
    }
}

#[test]
fn every_file_named_in_the_walks_exists() {
    let there = files(&["src", "core/src", "core/tests", "tests"], "rs");
    let mut named = 0;
    for (path, text) in pages() {
        let prose = text.split("```").step_by(2).collect::<String>();
        for name in quoted(&prose).into_iter().filter(|name| name.ends_with(".rs") && !name.contains([' ', '*'])) {
            let found = name == "build.rs" || there.iter().any(|file| Path::new(file).ends_with(name));
            assert!(found, "{path} names {name}");
            named += 1;
        }
    }
    assert!(named > 60, "{named}");
    let architecture = page("docs/ARCHITECTURE.md");
    let rooms: BTreeSet<&str> = there
        .iter()
        .filter_map(|file| file.strip_prefix("core/").unwrap_or(file).strip_prefix("src/")?.split('/').next())
        .collect();
    for room in rooms.into_iter().filter(|room| *room != "lib.rs") {
        let reported =
            [format!("`{room}`"), format!("`{room}/`")].iter().any(|name| architecture.contains(name.as_str()));
        assert!(reported, "docs/ARCHITECTURE.md does not name the room {room}");
    }
}

/// A path without its crate could be in `src/` or in `core/src/`.
#[test]
fn paths_in_developer_guides_start_at_the_root() {
    for guide in ["docs/dev/adding.md", "docs/dev/walks.md"] {
        let text = page(guide);
        let is_path = |name: &&str| {
            let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
            name.contains('/') && !name.contains([' ', '*']) && ["rs", "sql", "toml", "md"].contains(&ending)
        };
        let named: Vec<&str> = quoted(&text).into_iter().filter(is_path).collect();
        assert!(named.len() > 20, "{guide}: {named:?}");
        for name in named {
            assert!(root().join(name).is_file(), "{guide} names {name}; give the path from the repository's root");
        }
    }
}

/// Removes numbers and spacing from a line, because they depend on the time.
fn shape(line: &str) -> String {
    let mut shape = String::new();
    for word in line.split_whitespace() {
        let mut digits = false;
        for c in word.chars() {
            if !c.is_ascii_digit() {
                shape.push(c);
            } else if !digits {
                shape.push('0');
            }
            digits = c.is_ascii_digit();
        }
        shape.push(' ');
    }
    shape
}

#[test]
fn the_first_readme_block_matches_the_output_of_a_fresh_clone() {
    let block = blocks(&page("README.md"), "console").remove(0);
    let place = tempfile::tempdir().unwrap();
    std::fs::copy(root().join("jobs.toml"), place.path().join("jobs.toml")).unwrap();
    let mut real = Vec::new();
    for line in block.lines().filter(|line| *line != "…") {
        if line.starts_with("$ ") {
            assert_eq!(line, "$ cargo run -- once");
            let ran = Program::at(place.path(), &["once", "--at", NINE]).without_env("TOPICWATCH_API_KEY").run();
            assert_eq!(ran.code, Some(0), "{ran}");
            real = ran.out.lines().map(shape).collect();
        } else {
            assert!(real.contains(&shape(line)), "{line}\n{real:#?}");
        }
    }
    assert!(block.contains("= ≥0 new"), "the second run finds nothing new");
}

#[test]
fn ids_and_times_are_not_broken_at_80_columns() {
    let place = Place::new(
        sqlite(),
        "base_url = \"sandbox\"",
        &page("jobs.toml").split_once("[defaults]").map(|(_, rest)| format!("[defaults]{rest}")).unwrap(),
    );
    place.ok(&["once", "--at", NINE]);
    let runs = place.json(&["runs", "--json"]);
    for args in
        [&["runs"][..], &["runs", "--searches"], &["status"], &["items"], &["check"], &["show", "acme-launches"]]
    {
        let shown = place.program(args).env("COLUMNS", "80").run();
        assert_eq!(shown.code, Some(0), "{shown}");
        if args[0] == "runs" {
            let runs = runs["runs"].as_array().unwrap();
            assert!(!runs.is_empty());
            for run in runs {
                assert!(shown.out.contains(run["run"].as_str().unwrap()), "{shown}");
            }
        }
        if matches!(args[0], "status" | "items") {
            let lines = shown.out.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
            for line in lines.filter(|line| line.contains("2026-03-11T09")) {
                assert!(line.contains("2026-03-11T09:00:00Z") && line.chars().count() <= 80, "{line}");
            }
        }
    }
}
