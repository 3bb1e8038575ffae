//! `man`: manual pages for packages, one for each command that `--help` lists, the same bytes each time.

use std::collections::BTreeMap;
use std::path::Path;

use clap::CommandFactory as _;
use topicwatch::cli::Cli;

use crate::support::databases::sqlite;
use crate::support::program::Place;

/// The names of the expected pages, with the text of the first line.
fn collect_expected_pages(command: &clap::Command, name: &str, pages: &mut BTreeMap<String, String>) {
    pages.insert(format!("{name}.1"), command.get_about().unwrap().to_string());
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        collect_expected_pages(verb, &format!("{name}-{}", verb.get_name()), pages);
    }
}

fn read_pages(folder: &Path) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .map(|file| (file.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(file).unwrap()))
        .collect()
}

#[test]
fn each_verb_has_a_manual_page_and_old_names_have_none() {
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", "");
    place.ok(&["man", "pages/one"]);
    place.ok(&["man", "pages/two"]);
    let pages = read_pages(&place.path("pages/one"));
    assert!(pages == read_pages(&place.path("pages/two")), "two calls wrote different bytes");
    let mut named = BTreeMap::new();
    collect_expected_pages(&Cli::command(), "topicwatch", &mut named);
    assert_eq!(pages.keys().collect::<Vec<_>>(), named.keys().collect::<Vec<_>>());
    // roff escapes a hyphen and an apostrophe.
    let plain = |text: &str| text.replace("\\-", "-").replace("\\*(Aq", "'");
    for (file, about) in &named {
        let page = plain(&pages[file]);
        let title = format!(".TH {} 1  \"topicwatch {}\"", file.trim_end_matches(".1"), env!("CARGO_PKG_VERSION"));
        assert!(page.contains(&title), "{file}: {page}");
        assert!(page.contains(&format!(" - {about}\n")), "{file} does not say {about}: {page}");
    }
    let once = plain(&pages["topicwatch-once.1"]);
    assert!(once.contains("\n.SH EXAMPLES\n.nf\n  topicwatch once\n"), "{once}");
    assert!(plain(&pages["topicwatch.1"]).contains("\n.SH \"EXIT CODES\"\n.nf\n  0 ok"), "{}", pages["topicwatch.1"]);
}

#[test]
fn unwritable_manual_pages_exit_with_5() {
    let place = Place::new(sqlite(), "base_url = \"sandbox\"", "");
    std::fs::write(place.path("file"), "old").unwrap();
    place.run(&["man", "file"]).assert_stderr(5, &["file", "hint"]);
    assert_eq!(std::fs::read_to_string(place.path("file")).unwrap(), "old");
}
