//! Finds cycles of uses between files: a file that uses another which, directly or indirectly, uses the first. A use is
//! a path in shipped code (`crate::`, `super::`, `self::`, the name of a child module, each leaf of a `use`), followed
//! through re-exports to the file that defines the name. Neither `mod x;` nor a `pub use` that only re-exports a
//! child's name is a use.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::source::{Kind, Token, shipped, tokens};

/// The path of a module from the crate root, without the root: `["store", "sqlite"]`.
type Module = Vec<String>;

/// A path as written: its base, its names and its line.
#[derive(Debug, Clone)]
struct Path {
    /// The base of the path.
    base: Base,
    names: Vec<String>,
    line: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    Root,
    /// This many modules up from the module that contains the path.
    Up(usize),
    /// A child module, or a name from outside the crate.
    Here,
}

/// One name imported by a `use`.
#[derive(Debug, Clone)]
struct Import {
    path: Path,
    /// Inline modules that contain the `use`.
    inline: Vec<String>,
    /// `*` for a glob import.
    name: String,
    public: bool,
}

#[derive(Debug, Default)]
struct File {
    imports: Vec<Import>,
    /// Paths outside `use`, with the inline modules that contain them.
    paths: Vec<(Path, Vec<String>)>,
    /// Names defined in this file.
    defined: BTreeSet<String>,
    /// `#[path = "…"] mod name;`
    elsewhere: Vec<(String, String)>,
    /// `mod name { … }`
    inline: Vec<Vec<String>>,
    /// Every word outside `use`, to detect names that are only re-exported.
    words: BTreeSet<String>,
}

/// For each file, the files it uses and the line of the first use.
pub(crate) type Uses = BTreeMap<String, BTreeMap<String, usize>>;

/// Returns every use between these files (path relative to `src/`, and text).
pub(crate) fn uses(files: &[(String, String)]) -> Uses {
    let read: BTreeMap<&str, File> = files.iter().map(|(path, text)| (path.as_str(), read(text))).collect();
    let house = House::of(&read);
    let mut uses = Uses::new();
    for (path, file) in &read {
        for module in house.modules_of(path) {
            let mut add = |to: Option<&str>, line: usize| {
                if let Some(to) = to.filter(|to| to != path) {
                    uses.entry((*path).to_owned()).or_default().entry(to.to_owned()).or_insert(line);
                }
            };
            for import in &file.imports {
                let stands_in = join(module, &import.inline);
                let child = house.names(&stands_in, &import.path).is_some_and(|whole| whole.starts_with(&stands_in));
                let only_handed_on = import.public && child && !file.words.contains(&import.name);
                if !only_handed_on {
                    add(house.file_of(&stands_in, &import.path), import.path.line);
                }
            }
            for (path, inline) in &file.paths {
                add(house.file_of(&join(module, inline), path), path.line);
                add(house.statements_of(file, path), path.line);
            }
        }
    }
    uses
}

/// Returns each cycle as its files in order.
pub(crate) fn circles(uses: &Uses) -> Vec<Vec<String>> {
    let reach: BTreeMap<&String, BTreeSet<&String>> = uses.keys().map(|from| (from, reached(uses, from))).collect();
    let mut circles: BTreeSet<Vec<String>> = BTreeSet::new();
    for (from, to) in &reach {
        if to.contains(from) {
            let both = |other: &&&String| reach.get(**other).is_some_and(|back| back.contains(from));
            circles.insert(to.iter().filter(both).map(|file| (*file).clone()).collect());
        }
    }
    circles.into_iter().collect()
}

/// Formats a cycle for people: each edge in it, with its place.
pub(crate) fn describe(uses: &Uses, circle: &[String]) -> String {
    let mut lines = vec![format!("a circle of {} files:", circle.len())];
    for from in circle {
        for (to, line) in uses.get(from).into_iter().flatten().filter(|(to, _)| circle.contains(to)) {
            lines.push(format!("  src/{from}:{line} uses {to}"));
        }
    }
    lines.join("\n")
}

fn reached<'u>(uses: &'u Uses, from: &String) -> BTreeSet<&'u String> {
    let mut seen = BTreeSet::new();
    let mut open: VecDeque<&String> = uses.get(from).into_iter().flat_map(BTreeMap::keys).collect();
    while let Some(file) = open.pop_front() {
        if seen.insert(file) {
            open.extend(uses.get(file).into_iter().flat_map(BTreeMap::keys));
        }
    }
    seen
}

fn join(module: &[String], inline: &[String]) -> Module {
    module.iter().chain(inline).cloned().collect()
}

/// Which file each module is in.
struct House<'f> {
    files: BTreeMap<Module, &'f str>,
    read: &'f BTreeMap<&'f str, File>,
}

impl<'f> House<'f> {
    fn of(read: &'f BTreeMap<&'f str, File>) -> Self {
        let mut files: BTreeMap<Module, &str> = BTreeMap::new();
        for (path, file) in read {
            let stem = path.trim_end_matches(".rs");
            let stem = stem.strip_suffix("/mod").unwrap_or(stem);
            let module: Module =
                if matches!(stem, "lib" | "main") { Vec::new() } else { stem.split('/').map(str::to_owned).collect() };
            if stem != "main" {
                files.insert(module.clone(), path);
            }
            for inline in &file.inline {
                files.insert(join(&module, inline), path);
            }
        }
        // A module declared with `#[path]` belongs to the declaring module; a file may be declared several times.
        let named: Vec<(&str, Module, String)> = files
            .iter()
            .flat_map(|(module, path)| {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                read[path].elsewhere.iter().map(move |(name, at)| {
                    (*path, join(module, std::slice::from_ref(name)), plain(&format!("{folder}/{at}")))
                })
            })
            .collect();
        let mut moved = BTreeSet::new();
        for (_, module, at) in named {
            if let Some((path, _)) = read.get_key_value(at.as_str()) {
                files.insert(module, path);
                moved.insert(*path);
            }
        }
        files.retain(|module, path| !moved.contains(path) || !matches_file_path(module, path));
        Self { files, read }
    }

    /// The modules that a file is, without its inline modules.
    fn modules_of(&self, path: &str) -> Vec<&Module> {
        let outer = |module: &Module| match module.split_last() {
            Some((_, parent)) => self.files.get(parent).is_none_or(|at| *at != path),
            None => true,
        };
        self.files.iter().filter(|(module, at)| **at == path && outer(module)).map(|(module, _)| module).collect()
    }

    /// Resolves a path to names from the crate root.
    fn names(&self, stands_in: &[String], path: &Path) -> Option<Module> {
        let base: Module = match path.base {
            Base::Root => Vec::new(),
            Base::Up(ups) => stands_in[..stands_in.len().checked_sub(ups)?].to_vec(),
            Base::Here => {
                let child = join(stands_in, &path.names[..1]);
                if !self.files.contains_key(&child) {
                    return None;
                }
                stands_in.to_vec()
            }
        };
        Some(join(&base, &path.names))
    }

    /// The file of a statement module that a macro of the store names: `read!(self, items::by_key(…))`,
    /// `$database::statements::items::by_key`. The macro puts the path of both databases before it.
    fn statements_of(&self, file: &File, path: &Path) -> Option<&'f str> {
        let inside = path.names.iter().position(|name| name == "statements").map_or(0, |at| at + 1);
        let module = path.names.get(inside)?;
        let imported = file.imports.iter().any(|import| import.name == *module);
        let named = path.base == Base::Here && path.names.len() > inside + 1 && !imported;
        let declared =
            |whole: &Module| matches!(&whole[..], [.., parent, own] if parent == "statements" && own == module);
        self.files.iter().find(|(whole, _)| named && declared(whole)).map(|(_, file)| *file)
    }

    /// The file that defines what the path names.
    fn file_of(&self, stands_in: &[String], path: &Path) -> Option<&'f str> {
        self.defined_in(&self.names(stands_in, path)?, 0)
    }

    fn defined_in(&self, names: &[String], depth: usize) -> Option<&'f str> {
        let mut length = names.len();
        while !self.files.contains_key(&names[..length]) {
            length = length.checked_sub(1)?;
        }
        let (module, rest) = names.split_at(length);
        let file = *self.files.get(module)?;
        let Some(name) = rest.first().filter(|name| *name != "*") else { return Some(file) };
        let own = self.read.get(file)?;
        if own.defined.contains(name) || depth > 8 {
            return Some(file);
        }
        let follow = |import: &Import| {
            let whole = self.names(&join(module, &[]), &import.path)?;
            let whole =
                if import.name == "*" { join(&whole[..whole.len() - 1], rest) } else { join(&whole, &rest[1..]) };
            let found = self.defined_in(&whole, depth + 1)?;
            let there = import.name != "*" || self.read[found].defined.contains(name);
            there.then_some(found)
        };
        let named = own.imports.iter().filter(|import| import.name == *name || import.name == "*");
        named.filter_map(follow).next().or(Some(file))
    }
}

/// Whether a module is where its file path says.
fn matches_file_path(module: &[String], path: &str) -> bool {
    let stem = path.trim_end_matches(".rs");
    module.join("/") == stem.strip_suffix("/mod").unwrap_or(stem)
}

/// Normalises a file path: resolves `..`.
fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            other => parts.push(other),
        }
    }
    parts.join("/")
}

fn read(text: &str) -> File {
    let all = tokens(text);
    let code = shipped(&all);
    let mut file = File::default();
    let (mut braces, mut inline): (usize, Vec<(usize, String)>) = (0, Vec::new());
    let mut at = 0;
    while at < code.len() {
        let token = code[at];
        let word = |offset: usize| code.get(at + offset).filter(|token| token.kind == Kind::Word);
        let within = || inline.iter().map(|(_, name)| name.clone()).collect::<Vec<_>>();
        if token.is("{") {
            braces += 1;
            if at >= 2 && code[at - 2].is("mod") {
                inline.push((braces, code[at - 1].text.to_owned()));
                file.inline.push(inline.iter().map(|(_, name)| name.clone()).collect());
            }
        } else if token.is("}") {
            if inline.last().is_some_and(|(depth, _)| *depth == braces) {
                inline.pop();
            }
            braces = braces.saturating_sub(1);
        } else if token.is("path")
            && at >= 2
            && code[at - 1].is("[")
            && code.get(at + 2).is_some_and(|t| t.kind == Kind::Text)
        {
            let named = code[at..].iter().position(|token| token.is("mod")).and_then(|offset| word(offset + 1));
            if let Some(name) = named {
                file.elsewhere.push((name.text.to_owned(), code[at + 2].text.to_owned()));
            }
        } else if token.is("use") && !(at > 0 && code[at - 1].is("::")) && !code.get(at + 1).is_some_and(|t| t.is("<"))
        {
            let public = at > 0 && (code[at - 1].is("pub") || code[at - 1].is(")"));
            let inner = within();
            let end = tree(&code, at + 1, &mut Vec::new(), &mut |path, name| {
                file.imports.push(Import { path, inline: inner.clone(), name, public });
            });
            at = end;
            continue;
        } else if token.kind == Kind::Word && !(at > 0 && (code[at - 1].is("::") || code[at - 1].is("."))) {
            if !(at > 0 && code[at - 1].is("mod")) {
                file.words.insert(token.text.to_owned());
            }
            if matches!(token.text, "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union") {
                file.defined.extend(word(1).map(|token| token.text.to_owned()));
            } else if token.is("macro_rules") {
                file.defined.extend(word(2).map(|token| token.text.to_owned()));
            }
            let mut names = vec![token.text.to_owned()];
            let mut after = at + 1;
            while code.get(after).is_some_and(|token| token.is("::")) {
                let Some(next) = code.get(after + 1).filter(|token| token.kind == Kind::Word) else { break };
                names.push(next.text.to_owned());
                after += 2;
            }
            // The macro for streams names no module.
            if token.is("stream") && code.get(at + 1).is_some_and(|token| token.is("!")) {
                names.push("!".to_owned());
            }
            // `pub(in crate::room)` is a visibility, not a use.
            if names.len() > 1 && !(at > 0 && code[at - 1].is("in") && code[at - 2].is("(")) {
                file.paths.extend(based(names, token.line).map(|path| (path, within())));
            }
        }
        at += 1;
    }
    file
}

/// Splits the base off a written path; `None` when no name is left.
fn based(mut names: Vec<String>, line: usize) -> Option<Path> {
    let ups = names.iter().take_while(|name| *name == "super").count();
    let base = match names[0].as_str() {
        "crate" | "topicwatch" => Base::Root,
        "self" => {
            let ups = names[1..].iter().take_while(|name| *name == "super").count();
            names.drain(..ups);
            Base::Up(ups)
        }
        "super" => {
            names.drain(..ups - 1);
            Base::Up(ups)
        }
        _ => Base::Here,
    };
    if base != Base::Here {
        names.remove(0);
    }
    // A base without names is the module itself.
    (!names.is_empty() || base != Base::Here).then_some(Path { base, names, line })
}

/// Walks the tree of a `use` from `at` on and calls `leaf` with the path and the name of each leaf. Returns the index
/// after the tree.
fn tree(code: &[Token<'_>], mut at: usize, before: &mut Vec<String>, leaf: &mut impl FnMut(Path, String)) -> usize {
    let held = before.len();
    while let Some(token) = code.get(at) {
        if token.is("{") {
            at += 1;
            while code.get(at).is_some_and(|token| !token.is("}")) {
                at = tree(code, at, before, leaf);
                at += usize::from(code.get(at).is_some_and(|token| token.is(",")));
            }
            before.truncate(held);
            return at + 1;
        } else if token.is(",") || token.is(";") || token.is("}") {
            break;
        } else if token.is("as") {
            let name = code.get(at + 1).map_or("", |token| token.text).to_owned();
            leaf_of(before, token.line, Some(name), leaf);
            before.truncate(held);
            return at + 2;
        }
        if !token.is("::") {
            before.push(token.text.to_owned());
        }
        at += 1;
    }
    if before.len() > held {
        leaf_of(before, code.get(at.saturating_sub(1)).map_or(0, |token| token.line), None, leaf);
    }
    before.truncate(held);
    at
}

fn leaf_of(names: &[String], line: usize, name: Option<String>, leaf: &mut impl FnMut(Path, String)) {
    let mut names = names.to_vec();
    if names.len() > 1 && names.last().is_some_and(|last| last == "self") {
        names.pop();
    }
    let own = names.last().cloned().unwrap_or_default();
    if let Some(path) = based(names, line) {
        leaf(path, name.unwrap_or(own));
    }
}

#[test]
fn uses_between_files_are_found_without_false_positives() {
    let of = |files: &[(&str, &str)]| {
        let files: Vec<(String, String)> = files.iter().map(|(p, t)| ((*p).to_owned(), (*t).to_owned())).collect();
        let uses = uses(&files);
        uses.into_iter().flat_map(|(from, to)| to.into_keys().map(move |to| format!("{from} {to}"))).collect::<Vec<_>>()
    };
    let lib = ("lib.rs", "mod a; mod b;");
    for (files, expected) in [
        (
            &[("a/mod.rs", "mod x;"), ("a/x.rs", "use crate::b::T;"), ("b.rs", "pub struct T;")][..],
            &["a/x.rs b.rs"][..],
        ),
        (&[("a/mod.rs", "mod x; pub fn f() {}"), ("a/x.rs", "fn g() { super::f() }")], &["a/x.rs a/mod.rs"]),
        (
            &[("a/mod.rs", "mod x; mod y;"), ("a/x.rs", "use super::{y, y::Z};"), ("a/y.rs", "pub struct Z;")],
            &["a/x.rs a/y.rs"],
        ),
        // Re-exported by the room: the using file uses the defining file, and the room uses neither.
        (
            &[("a/mod.rs", "mod x; mod y; pub use y::Z;"), ("a/x.rs", "use super::Z;"), ("a/y.rs", "pub struct Z;")],
            &["a/x.rs a/y.rs"],
        ),
        (
            &[("a/mod.rs", "mod x; mod y; pub use y::*;"), ("a/x.rs", "use super::Z;"), ("a/y.rs", "pub enum Z {}")],
            &["a/x.rs a/y.rs"],
        ),
        // Re-exported and also used.
        (&[("a/mod.rs", "mod y; pub use y::Z; fn f(_: Z) {}"), ("a/y.rs", "pub struct Z;")], &["a/mod.rs a/y.rs"]),
        (&[("a/mod.rs", "mod y; fn f() { y::g() }"), ("a/y.rs", "pub fn g() {}")], &["a/mod.rs a/y.rs"]),
        // Not a use: declarations, visibilities, comments, strings, tests.
        (
            &[
                ("a/mod.rs", "mod y; // use y::Z\n const S: &str = \"crate::b::T\";"),
                ("a/y.rs", "pub(in crate::a) struct Z; #[cfg(test)] mod tests { use super::super::S; }"),
                ("b.rs", "pub struct T;"),
            ],
            &[],
        ),
        // Names in a macro of the store, with and without the path of a database.
        (
            &[
                ("store/mod.rs", "mod x; mod database;"),
                (
                    "store/x.rs",
                    "fn f() { read!(self, rows::g(1)); stream!(self, h()) } macro_rules! m { () => { $d::statements::keys::g() } }",
                ),
                ("store/database/mod.rs", "pub mod sqlite;"),
                ("store/database/sqlite/mod.rs", "pub mod statements;"),
                (
                    "store/database/sqlite/statements.rs",
                    "#[path = \"../../sql/rows.rs\"] pub mod rows; #[path = \"../../sql/keys.rs\"] pub mod keys; #[path = \"../../sql/stream.rs\"] pub mod stream;",
                ),
                ("store/sql/rows.rs", "pub fn g() {}"),
                ("store/sql/keys.rs", "pub fn g() {}"),
                ("store/sql/stream.rs", "pub fn h() {}"),
            ],
            &["store/x.rs store/sql/keys.rs", "store/x.rs store/sql/rows.rs", "store/x.rs store/sql/stream.rs"],
        ),
        // One file as two modules.
        (
            &[
                ("a/mod.rs", "mod p; mod q;"),
                ("a/p/mod.rs", "#[path = \"../s.rs\"] mod s; pub struct C;"),
                ("a/q/mod.rs", "#[path = \"../s.rs\"] mod s; pub struct C;"),
                ("a/s.rs", "use super::C;"),
            ],
            &["a/s.rs a/p/mod.rs", "a/s.rs a/q/mod.rs"],
        ),
    ] {
        assert_eq!(of(&[&[lib], files].concat()), expected, "{files:?}");
    }
}

#[test]
fn a_cycle_is_described_with_its_edges_and_a_chain_is_not_a_cycle() {
    let uses: Uses = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("e", "a")].into_iter().fold(
        Uses::new(),
        |mut uses, (from, to)| {
            uses.entry(from.to_owned()).or_default().insert(to.to_owned(), 7);
            uses
        },
    );
    assert_eq!(circles(&uses), [["a", "b", "c"]]);
    let described = describe(&uses, &circles(&uses)[0]);
    assert_eq!(described, "a circle of 3 files:\n  src/a:7 uses b\n  src/b:7 uses c\n  src/c:7 uses a");
}
