//! Rules about the text of one file. Each takes a text and returns what is wrong with it, so that a sample that breaks
//! it can test it.

use crate::source::{Kind, Token, shipped, tokens};

/// A line and what is wrong with it.
pub(crate) type Mistake = (usize, String);

/// The most lines a file in `src/` may have.
pub(crate) const MAX_LINES: usize = 350;

/// Requires that the file starts with `//!` and words after it.
pub(crate) fn opens_with_its_purpose(source: &str) -> Vec<Mistake> {
    let first = source.lines().next().unwrap_or_default();
    let purpose = first.strip_prefix("//!").unwrap_or_default().trim();
    if purpose.is_empty() {
        return vec![(1, "the file does not open with `//!` saying what it is for and what it is not".to_owned())];
    }
    Vec::new()
}

/// Requires that the file is short enough to be about one thing.
pub(crate) fn is_short(source: &str) -> Vec<Mistake> {
    let lines = source.lines().count();
    if lines > MAX_LINES {
        return vec![(
            lines,
            format!("{lines} lines, more than {MAX_LINES}: is there more than one idea in the file?"),
        )];
    }
    Vec::new()
}

/// Forbids names of files, folders and modules that could hold anything.
pub(crate) fn has_specific_name(path: &str, source: &str) -> Vec<Mistake> {
    let vague = |name: &str| {
        let name = name.strip_suffix('s').unwrap_or(name);
        matches!(name, "util" | "utilitie" | "helper" | "common" | "manager" | "misc")
    };
    let all = tokens(source);
    let modules = all.windows(2).filter(|pair| pair[0].is("mod")).map(|pair| (pair[1].line, pair[1].text));
    let parts = path.trim_end_matches(".rs").split('/').map(|part| (1, part));
    parts
        .chain(modules)
        .filter(|(_, name)| vague(name))
        .map(|(line, name)| (line, format!("`{name}` says nothing: name it for what it holds")))
        .collect()
}

/// Forbids reading the wall clock (the monotonic `Instant` is allowed).
pub(crate) fn reads_no_clock(source: &str) -> Vec<Mistake> {
    const CLOCKS: &[[&str; 2]] = &[
        ["SystemTime", "now"],
        ["Timestamp", "now"],
        ["Zoned", "now"],
        ["Utc", "now"],
        ["Local", "now"],
        ["OffsetDateTime", "now_utc"],
        ["Ulid", "generate"],
    ];
    let read =
        |code: &[Token<'_>]| CLOCKS.iter().any(|[of, now]| code[0].is(of) && code[1].is("::") && code[2].is(now));
    let all = tokens(source);
    shipped(&all)
        .windows(3)
        .filter(|code| read(code))
        .map(|code| {
            let call = format!("{}::{}", code[0].text, code[2].text);
            (code[0].line, format!("`{call}` reads the wall clock; only daemon and cli may, others are told the time"))
        })
        .collect()
}

/// Forbids printing: `println!` panics on a closed pipe or a full disk.
pub(crate) fn prints_nothing(source: &str) -> Vec<Mistake> {
    let all = tokens(source);
    shipped(&all)
        .windows(2)
        .filter(|code| {
            code[1].is("!") && ["print", "println", "eprint", "eprintln", "dbg"].iter().any(|m| code[0].is(m))
        })
        .map(|code| (code[0].line, format!("`{}!` panics on a closed pipe: write through a handle", code[0].text)))
        .collect()
}

/// Forbids routes that do not declare the permission they need.
pub(crate) fn adds_no_route(source: &str) -> Vec<Mistake> {
    const WAYS: &[&str] = &["route", "route_service", "nest", "nest_service", "merge", "fallback_service"];
    let all = tokens(source);
    shipped(&all)
        .windows(3)
        .filter(|code| code[0].is(".") && WAYS.iter().any(|way| code[1].is(way)) && code[2].is("("))
        .map(|code| (code[1].line, format!("`.{}(` serves what says no need: add it to `Routes`", code[1].text)))
        .collect()
}

/// Forbids naming a crate that only some rooms may use.
pub(crate) fn does_not_name(source: &str, krate: &str) -> Vec<Mistake> {
    let all = tokens(source);
    shipped(&all)
        .windows(2)
        .filter(|code| code[0].is(krate) && code[1].is("::"))
        .map(|code| (code[0].line, format!("names the crate `{krate}`, which is another room's")))
        .collect()
}

/// Forbids SQL that reads a clock in the string literals of a Rust file.
pub(crate) fn rust_sql_reads_no_clock(source: &str) -> Vec<Mistake> {
    let all = tokens(source);
    let texts: Vec<_> = shipped(&all).into_iter().filter(|token| token.kind == Kind::Text).collect();
    texts
        .iter()
        .flat_map(|t| sql_reads_no_clock(t.text).into_iter().map(|(line, why)| (t.line + line - 1, why)))
        .collect()
}

/// Forbids SQL that reads a clock: time is a bound value, so that both databases and every test agree on it.
pub(crate) fn sql_reads_no_clock(sql: &str) -> Vec<Mistake> {
    const NAMES: &[&str] =
        &["current_timestamp", "current_date", "current_time", "localtimestamp", "localtime", "sysdate"];
    const CALLS: &[&str] = &["now", "clock_timestamp", "statement_timestamp", "transaction_timestamp", "timeofday"];
    // SQLite's date functions read the clock when they have no argument.
    const CALLS_WITHOUT_ARGUMENT: &[&str] = &["date", "time", "datetime", "julianday", "unixepoch"];
    let mut found = Vec::new();
    for (number, line) in sql.lines().enumerate() {
        let line = line.split("--").next().unwrap_or_default().to_ascii_lowercase();
        let mut at = 0;
        while let Some(start) = line[at..].find(|c: char| c.is_ascii_alphabetic()).map(|start| at + start) {
            let end =
                line[start..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(line.len(), |n| start + n);
            let (before, word, after) = (&line[..start], &line[start..end], line[end..].trim_start());
            // `x.now(` and `x::now(` are Rust calls in a message; `new_now` is another word.
            let free = !before.ends_with(['.', ':', '_', '`', '$']) && !before.ends_with(|c: char| c.is_ascii_digit());
            let arguments = after.strip_prefix('(').map(str::trim_start);
            let reads = (free && NAMES.contains(&word))
                || (free && CALLS.contains(&word) && arguments.is_some())
                || (free && CALLS_WITHOUT_ARGUMENT.contains(&word) && arguments.is_some_and(|a| a.starts_with(')')))
                || (word == "now" && before.ends_with('\'') && after.starts_with('\''));
            if reads {
                found.push((number + 1, format!("SQL reads the clock (`{word}`): bind the time instead")));
            }
            at = end;
        }
    }
    found
}

/// Forbids paths of the machine on which the text was written.
pub(crate) fn names_no_machine(text: &str) -> Vec<Mistake> {
    // Split in two, or this file would break the rule.
    let folders = [concat!("/wo", "rk/"), concat!("/ro", "ot/")];
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for folder in folders {
            // `example.com/…` and `../…` are not paths of a machine.
            let own = |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || ".-_/~}".contains(c));
            if line.match_indices(folder).any(|(at, _)| own(at)) {
                found.push((number + 1, format!("names `{folder}`, a folder of one machine")));
            }
        }
    }
    found
}
