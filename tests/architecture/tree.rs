//! Lists the files of the checkout and reports all mistakes that a rule finds in them, with their places.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::rules::Mistake;

/// Build output, downloads and version control (in a second working tree `.git` is a file).
const NOT_OURS: &[&str] = &["target", ".git", "node_modules"];

/// Returns path (relative to the checkout, with `/`) and text of each file under `start` whose name ends in one of
/// `endings` (any, when empty), sorted. Skips binary files.
pub(crate) fn files(start: &str, endings: &[&str]) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut open = vec![root.join(start)];
    while let Some(path) = open.pop() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if NOT_OURS.contains(&name.as_str()) {
            continue;
        } else if path.is_dir() {
            // A file that disappears during the walk (of an editor or another test) is not a mistake.
            open.extend(std::fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if endings.is_empty() || endings.iter().any(|ending| name.ends_with(&format!(".{ending}"))) {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let relative = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            found.push((relative.trim_start_matches("./").to_owned(), text));
        }
    }
    found.sort();
    found
}

/// Applies a rule (path, text) to every file that [`files`] returns.
///
/// # Panics
/// When there is a mistake: with every mistake as `path:line: what`.
pub(crate) fn check(start: &str, endings: &[&str], rule: impl Fn(&str, &str) -> Vec<Mistake>) {
    let mistakes = mistakes(&files(start, endings), rule);
    assert!(mistakes.is_empty(), "{} broken in {start}:\n{}", mistakes.len(), mistakes.join("\n"));
}

/// The source folders of the two crates: the program, and the pure rooms that it re-exports.
pub(crate) const CODE: [&str; 2] = ["src", "core/src"];

/// Every Rust file of both crates, with its path in the checkout.
pub(crate) fn code() -> Vec<(String, String)> {
    CODE.iter().flat_map(|folder| files(folder, &["rs"])).collect()
}

/// Strips the source folder from a path: `model/time.rs` for `core/src/model/time.rs`.
pub(crate) fn in_rooms(path: &str) -> &str {
    path.trim_start_matches("core/").trim_start_matches("src/")
}

/// Applies a rule to the shipped files of both crates, as [`check`] does. Test modules in files of their own are left
/// out.
pub(crate) fn check_code(rule: impl Fn(&str, &str) -> Vec<Mistake>) {
    for folder in CODE {
        check(folder, &["rs"], |path, text| if is_of_tests(path) { Vec::new() } else { rule(path, text) });
    }
}

pub(crate) fn is_of_tests(path: &str) -> bool {
    path.split('/').any(|part| part.trim_end_matches(".rs") == "tests" || part.ends_with("_tests.rs"))
}

/// The number of entries of each folder that these files are in.
pub(crate) fn entries(files: &[(String, String)]) -> BTreeMap<String, usize> {
    let mut entries: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (path, _) in files {
        let mut rest = path.as_str();
        while let Some((folder, entry)) = rest.rsplit_once('/') {
            entries.entry(folder).or_default().insert(entry);
            rest = folder;
        }
    }
    entries.into_iter().map(|(folder, entries)| (folder.to_owned(), entries.len())).collect()
}

/// The mistakes that a rule finds in these files, one line each.
pub(crate) fn mistakes(files: &[(String, String)], rule: impl Fn(&str, &str) -> Vec<Mistake>) -> Vec<String> {
    files
        .iter()
        .flat_map(|(path, text)| rule(path, text).into_iter().map(move |(line, what)| format!("{path}:{line}: {what}")))
        .collect()
}

#[test]
fn the_walk_finds_the_files_to_check() {
    let all: Vec<_> = files(".", &[]).into_iter().map(|(path, _)| path).collect();
    for path in ["Cargo.toml", ".ci/run", "scripts/test", "src/lib.rs", "core/src/lib.rs", "tests/architecture/tree.rs"]
    {
        assert!(all.iter().any(|found| found == path), "{path}");
    }
    assert!(!all.iter().any(|path| path.starts_with("target/") || path.starts_with(".git/")));
    assert_eq!(files("build.rs", &["rs"]).len(), 1);
    assert!(files("no-such-folder", &[]).is_empty());
    assert!(is_of_tests("src/store/tests.rs") && is_of_tests("src/store/tests/claim.rs"));
    assert!(!is_of_tests("src/store/contests.rs"));
}

#[test]
fn files_and_folders_are_entries_of_their_folder() {
    let files = ["src/a/b.rs", "src/a/c/d.rs", "src/a/c/e.rs", "src/f.rs"].map(|path| (path.to_owned(), String::new()));
    let counted: Vec<String> = entries(&files).iter().map(|(folder, many)| format!("{folder} {many}")).collect();
    assert_eq!(counted, ["src 2", "src/a 2", "src/a/c 2"]);
}
