//! Finds which room names which: `crate::room`, `super::` chains that leave a room, and `topicwatch::room` in the
//! binary. Importing the crate under another name (`use crate as other`) would hide a room and counts as a room called
//! `as`. The table of allowed uses is in `architecture.rs`.

use crate::source::{Kind, Token, shipped, tokens};

/// A use of one room by another, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) line: usize,
}

/// Returns the room of a file of `src/` (`store/item.rs` is in `store`) and the file's module depth.
pub(crate) fn place(path: &str) -> (&str, usize) {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let stem = stem.strip_suffix("/mod").unwrap_or(stem);
    let depth = if matches!(stem, "lib" | "main") { 0 } else { stem.split('/').count() };
    (stem.split('/').next().unwrap_or(stem), depth)
}

/// Every use of another room in the shipped code of the file at `path` (relative to `src/`).
pub(crate) fn edges(path: &str, source: &str) -> Vec<Edge> {
    let (from, file_depth) = place(path);
    let all = tokens(source);
    let code = shipped(&all);
    let mut found = Vec::new();
    // Inline modules: the brace depth at which each ends.
    let (mut braces, mut inline) = (0_usize, Vec::new());
    let mut at = 0;
    while at < code.len() {
        let token = code[at];
        if token.is("{") {
            braces += 1;
            if at >= 2 && code[at - 2].is("mod") && code[at - 1].kind == Kind::Word {
                inline.push(braces);
            }
        } else if token.is("}") {
            if inline.last() == Some(&braces) {
                inline.pop();
            }
            braces = braces.saturating_sub(1);
        }
        let starts = !(at > 0 && code[at - 1].is("::"));
        let root = (token.is("crate") || token.is("topicwatch")) && starts;
        let mut after = at + 1;
        let mut ups = usize::from(token.is("super") && starts);
        while ups > 0 && after + 1 < code.len() && code[after].is("::") && code[after + 1].is("super") {
            ups += 1;
            after += 2;
        }
        let leaves = root || (ups > 0 && ups >= file_depth + inline.len());
        if leaves && code.get(after).is_some_and(|token| token.is("::")) {
            let rooms = first_names(&code, after + 1);
            found.extend(rooms.into_iter().filter(|room| room.text != from).map(|room| Edge {
                from: from.to_owned(),
                to: room.text.to_owned(),
                line: room.line,
            }));
        }
        if leaves && code.get(after).is_some_and(|token| token.is("as")) {
            found.push(Edge { from: from.to_owned(), to: "as".to_owned(), line: token.line });
        }
        at = if ups > 0 { after } else { at + 1 };
    }
    found
}

/// The first name of each path of a `use` tree: `a` for `a::b`, `a` and `c` for `{a::b, c::{d, e}}`.
fn first_names<'a>(code: &[Token<'a>], at: usize) -> Vec<Token<'a>> {
    let Some(first) = code.get(at) else { return Vec::new() };
    if !first.is("{") {
        return vec![*first];
    }
    let mut names = Vec::new();
    let mut depth = 0_usize;
    for (index, token) in code.iter().enumerate().skip(at) {
        if token.is("{") {
            depth += 1;
        } else if token.is("}") {
            depth -= 1;
            if depth == 0 {
                break;
            }
        } else if depth == 1 && (code[index - 1].is("{") || code[index - 1].is(",")) && !token.is(",") {
            names.push(*token);
        }
    }
    names
}

#[test]
fn every_way_to_name_a_room_is_found() {
    let to = |path: &str, source: &str| edges(path, source).into_iter().map(|edge| edge.to).collect::<Vec<_>>();
    for (path, source, expected) in [
        ("store/mod.rs", "use crate::model::Time;", &["model"][..]),
        ("store/mod.rs", "use crate::{model::{Time, Item}, cli, budget::Prices as P};", &["model", "cli", "budget"]),
        ("store/mod.rs", "fn f() -> crate::cli::Exit { crate::http::get() }", &["cli", "http"]),
        ("store/mod.rs", "use crate::*;", &["*"]),
        ("store/mod.rs", "use crate::{self as root}; use crate as root;", &["self", "as"]),
        ("store/item.rs", "use super::super::cli::X;", &["cli"]),
        ("store/item.rs", "use super::pool::X; use crate::store::Y;", &[]),
        ("store/mod.rs", "use super::cli;", &["cli"]),
        ("files.rs", "use super::{cli, model::Time};", &["cli", "model"]),
        (
            "files.rs",
            "mod a { use super::b; mod c { use super::super::super::cli; } } use super::http;",
            &["cli", "http"],
        ),
        ("model/mod.rs", "macro_rules! m { () => { $crate::cli::run() } }", &["cli"]),
        ("main.rs", "fn main() { topicwatch::cli::main() }", &["cli"]),
        (
            "store/mod.rs",
            "// use crate::cli;\n/// [`crate::cli`]\nconst S: &str = \"crate::cli\"; pub(crate) fn f() {}",
            &[],
        ),
        ("store/mod.rs", "#[cfg(test)] mod tests { use crate::cli; }", &[]),
        ("store/mod.rs", "use other::krate::cli; use a::crate_::cli;", &[]),
    ] {
        assert_eq!(to(path, source), expected, "{path}: {source}");
    }
    assert_eq!(edges("files.rs", "\n\nuse crate::cli;"), [Edge { from: "files".into(), to: "cli".into(), line: 3 }]);
}

#[test]
fn a_file_belongs_to_the_room_whose_folder_it_is_in() {
    for (path, expected) in [
        ("store/sqlite/open.rs", ("store", 3)),
        ("store/mod.rs", ("store", 1)),
        ("files.rs", ("files", 1)),
        ("main.rs", ("main", 0)),
    ] {
        assert_eq!(place(path), expected);
    }
}
