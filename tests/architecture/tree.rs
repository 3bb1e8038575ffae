//! The files of the checkout, and one way of reporting what a rule finds in them: all of it at once, with places.

use std::path::Path;

use crate::rules::Mistake;

/// What is built, downloaded or the version control's (in a second working tree `.git` is a file).
const NOT_OURS: &[&str] = &["target", ".git", "node_modules"];

/// Path (relative to the checkout, `/` between its parts) and text of each file under `start` that ends in one of
/// `endings` (any, when none is given), in order. Binary files have no text and are left out.
pub(crate) fn files(start: &str, endings: &[&str]) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut open = vec![root.join(start)];
    while let Some(path) = open.pop() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if NOT_OURS.contains(&name.as_str()) {
            continue;
        } else if path.is_dir() {
            // What goes while the walk is under way (an editor's or another test's file) is nobody's mistake.
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

/// Applies a rule (path, text) to every such file.
///
/// # Panics
/// With every mistake as `path:line: what`, when there is one.
pub(crate) fn check(start: &str, endings: &[&str], rule: impl Fn(&str, &str) -> Vec<Mistake>) {
    let mistakes = mistakes(&files(start, endings), rule);
    assert!(mistakes.is_empty(), "{} broken in {start}:\n{}", mistakes.len(), mistakes.join("\n"));
}

/// The folders of the two crates: the program, and the pure rooms that it shows as its own.
pub(crate) const CODE: [&str; 2] = ["src", "core/src"];

/// Every Rust file of both crates, with its path in the checkout.
pub(crate) fn code() -> Vec<(String, String)> {
    CODE.iter().flat_map(|folder| files(folder, &["rs"])).collect()
}

/// A path of the checkout as one of the rooms: `model/time.rs` for `core/src/model/time.rs`.
pub(crate) fn in_rooms(path: &str) -> &str {
    path.trim_start_matches("core/").trim_start_matches("src/")
}

/// Applies a rule to the files of both crates that ship, as [`check`] does; modules of tests in files of their own do not.
pub(crate) fn check_code(rule: impl Fn(&str, &str) -> Vec<Mistake>) {
    for folder in CODE {
        check(folder, &["rs"], |path, text| if is_of_tests(path) { Vec::new() } else { rule(path, text) });
    }
}

pub(crate) fn is_of_tests(path: &str) -> bool {
    path.split('/').any(|part| part.trim_end_matches(".rs") == "tests" || part.ends_with("_tests.rs"))
}

/// What a rule finds in these files, a line for each.
pub(crate) fn mistakes(files: &[(String, String)], rule: impl Fn(&str, &str) -> Vec<Mistake>) -> Vec<String> {
    files
        .iter()
        .flat_map(|(path, text)| rule(path, text).into_iter().map(move |(line, what)| format!("{path}:{line}: {what}")))
        .collect()
}

#[test]
fn the_walk_sees_the_files_it_is_to_judge() {
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
