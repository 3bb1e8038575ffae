//! The walls of the house as a test: which room may use which, and the rules that hold in every file. How the text is
//! read stands in `architecture/`; why the walls are where they are stands in docs/ARCHITECTURE.md.
#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "tests fail by panicking")]

#[path = "architecture/circles.rs"]
mod circles;
#[path = "architecture/edges.rs"]
mod edges;
#[path = "architecture/rules.rs"]
mod rules;
#[path = "architecture/samples.rs"]
mod samples;
#[path = "architecture/source.rs"]
mod source;
#[path = "architecture/tree.rs"]
mod tree;

use rules::Mistake;

/// Each room of `src/` and `core/src/` and the rooms it may use. `cli` alone may use every room: it wires the parts together.
const ROOMS: &[(&str, &[&str])] = &[
    // Empty in a release build.
    ("failpoint", &[]),
    ("model", &[]),
    ("http", &[]),
    ("files", &[]),
    ("import", &[]),
    ("edit", &[]),
    // A bounded number of connections; it speaks no protocol.
    ("listener", &[]),
    ("budget", &["model"]),
    // What a process knows of itself; it is written and read beside everything else.
    ("process_status", &["model"]),
    ("schedule", &["model"]),
    ("normalise", &["model"]),
    ("filter", &["model", "normalise"]),
    ("sentiment", &["model", "normalise"]),
    // Nothing of search: the stand-in and the client check one another.
    ("sandbox", &["model", "listener"]),
    // Of normalise: which entries of a feed have one address.
    ("search", &["model", "http", "normalise", "failpoint"]),
    ("store", &["model", "failpoint"]),
    ("insight", &["model", "budget", "schedule", "filter"]),
    // What reports and pages draw alike.
    ("draw", &["model", "insight"]),
    // Of filter: terms of days are counted as topics' filters leave them.
    ("collect", &["model", "budget", "search", "normalise", "filter", "sentiment", "store", "insight", "failpoint"]),
    // Of normalise: keys of the links that an answer names.
    ("compare", &["model", "normalise", "filter", "store", "insight"]),
    // Of normalise: links that may be shown.
    // Of schedule: how instants and zones are written.
    ("export", &["model", "files", "schedule", "normalise", "store", "insight", "compare", "failpoint"]),
    ("metrics", &["model", "store", "insight", "process_status"]),
    ("notify", &["model", "http", "store", "failpoint", "process_status"]),
    // Of normalise: links that may be shown.
    ("report", &["model", "normalise", "filter", "store", "insight", "compare", "draw"]),
    // Of normalise: how words that are searched for are read. Of schedule: how instants are written.
    ("mcp", &["model", "schedule", "normalise", "store", "insight", "compare", "report"]),
    // Of normalise: links that may be shown, and how words that are searched for are read. Of schedule: how instants are
    // written. Of export: the API streams what `export` writes. Of edit: forms change the text of `jobs.toml`.
    (
        "web",
        &[
            "model",
            "edit",
            "schedule",
            "normalise",
            "listener",
            "store",
            "insight",
            "compare",
            "draw",
            "export",
            "metrics",
            "mcp",
            "process_status",
        ],
    ),
    ("alert", &["model", "filter", "store", "insight", "compare", "normalise", "failpoint"]),
    // Of notify: what a mail can be addressed to.
    ("config", &["model", "budget", "schedule", "search", "filter", "export", "notify"]),
    ("daemon", &["model", "schedule", "collect", "store", "failpoint", "process_status"]),
    ("cli", EVERY_ROOM),
    ("main", &["cli"]),
    ("lib", &[]),
];

/// Stands for all of them.
const EVERY_ROOM: &[&str] = &["*"];

/// Crates that are behind one wall, and the rooms behind it.
const BEHIND_A_WALL: &[(&str, &[&str])] = &[
    ("sqlx", &["store"]),
    ("clap", &["cli", "main"]),
    ("axum", &["listener", "sandbox", "web"]),
    ("maud", &["draw", "report", "web"]),
    ("tokio_cron_scheduler", &["daemon"]),
    ("sd_notify", &["daemon"]),
    ("graphile_worker", &["store"]),
    ("lettre", &["notify"]),
    ("prometheus", &["metrics"]),
    ("toml_edit", &["edit"]),
    ("rmcp", &["mcp"]),
];

/// The rooms that may read the wall clock and hand the time to the others.
const CLOCK_ROOMS: &[&str] = &["daemon", "cli"];

/// The one file that may ask a database for its time, so that several hosts on one PostgreSQL agree.
const DATABASE_CLOCK: &str = "src/store/database/clock.rs";

fn allowed(from: &str, to: &str) -> bool {
    let known = ROOMS.iter().any(|(room, _)| *room == to);
    known
        && ROOMS
            .iter()
            .find(|(room, _)| *room == from)
            .is_some_and(|(_, uses)| *uses == EVERY_ROOM || uses.contains(&to))
}

#[test]
fn rooms_use_only_the_rooms_the_table_allows() {
    tree::check_code(|path, text| {
        let path = tree::in_rooms(path);
        edges::edges(path, text)
            .into_iter()
            .filter(|edge| !allowed(&edge.from, &edge.to))
            .map(|edge| {
                (edge.line, format!("`{}` may not use `{}` (the table in tests/architecture.rs)", edge.from, edge.to))
            })
            .collect()
    });
}

#[test]
fn every_edge_of_the_table_is_used() {
    let used: Vec<(String, String)> = tree::code()
        .iter()
        .flat_map(|(path, text)| edges::edges(tree::in_rooms(path), text))
        .map(|edge| (edge.from, edge.to))
        .collect();
    let table = ROOMS.iter().filter(|(_, uses)| *uses != EVERY_ROOM);
    let edges = table.flat_map(|(room, uses)| uses.iter().map(move |to| ((*room).to_owned(), (*to).to_owned())));
    let unused: Vec<(String, String)> = edges.filter(|edge| !used.contains(edge)).collect();
    assert!(unused.is_empty(), "nobody uses {unused:?}");
}

#[test]
fn the_table_names_exactly_the_rooms_there_are_and_has_no_circle() {
    let mut there: Vec<String> =
        tree::code().iter().map(|(path, _)| edges::place(tree::in_rooms(path)).0.to_owned()).collect();
    there.sort();
    there.dedup();
    let mut table: Vec<_> = ROOMS.iter().map(|(room, _)| (*room).to_owned()).collect();
    // A room uses only rooms above it in the table, which therefore has no circle.
    for (at, (room, uses)) in ROOMS.iter().enumerate().filter(|(_, (_, uses))| *uses != EVERY_ROOM) {
        for used in *uses {
            assert!(
                ROOMS[..at].iter().any(|(above, _)| above == used),
                "`{room}` uses `{used}`, which is not above it"
            );
        }
    }
    table.sort();
    assert_eq!(there, table, "left: rooms in src/, right: rooms in the table");
}

#[test]
fn no_file_uses_one_that_uses_it() {
    let files: Vec<(String, String)> = tree::code()
        .into_iter()
        .filter(|(path, _)| !tree::is_of_tests(path))
        .map(|(path, text)| (tree::in_rooms(&path).to_owned(), text))
        .collect();
    let uses = circles::uses(&files);
    assert!(uses.len() > 100, "the walk saw {} files that use another", uses.len());
    let circles = circles::circles(&uses);
    let told: Vec<String> = circles.iter().map(|circle| circles::told(&uses, circle)).collect();
    assert!(told.is_empty(), "what two files need of each other belongs into a third below both:\n{}", told.join("\n"));
}

/// Adding a kind of provider means: declare it, write how it is spoken to, name that file. The sandbox may stand in for it.
#[test]
fn a_kind_of_provider_is_named_in_three_files_at_most() {
    let files: Vec<(String, String)> = tree::code()
        .into_iter()
        .filter(|(path, _)| !tree::is_of_tests(path) && !path.starts_with("src/sandbox/"))
        .collect();
    let dialects = topicwatch::search::Dialect::ALL.iter().map(|dialect| dialect.as_str()).collect::<Vec<_>>();
    // Those of a search service have the names of its dialects, which stand where `[service]` is read, too.
    for kind in topicwatch::model::KINDS.iter().filter(|kind| !dialects.contains(&kind.name)) {
        let named = |text: &str| {
            let all = source::tokens(text);
            let code = source::shipped(&all);
            let literal = code.iter().any(|token| token.kind == source::Kind::Text && token.text == kind.name);
            let path = code
                .windows(2)
                .any(|two| two[0].is(kind.name) && two[1].is("::") || two[0].is("mod") && two[1].is(kind.name));
            literal || path
        };
        // A tool of the search service's AI search has the same name, and what is imported are feeds.
        let mut paths: Vec<&str> = files
            .iter()
            .filter(|(path, text)| path != "src/search/takes.rs" && !path.starts_with("src/import/") && named(text))
            .map(|(path, _)| path.as_str())
            .collect();
        paths.sort_unstable();
        let own = format!("src/search/kinds/{}.rs", kind.name);
        let declared = ["core/src/model/provider_kinds.rs", "src/search/kinds/mod.rs"];
        if dialects.iter().any(|dialect| kind.name.starts_with(&format!("{dialect}-"))) {
            assert_eq!(paths, sorted(declared), "{}", kind.name);
        } else {
            assert_eq!(paths, sorted([declared[0], declared[1], &own]), "{}", kind.name);
        }
    }
}

fn sorted<const N: usize>(mut paths: [&str; N]) -> Vec<&str> {
    paths.sort_unstable();
    paths.to_vec()
}

#[test]
fn every_file_opens_with_what_it_is_for() {
    for folder in ["src", "core/src", "tests", "benches", "build.rs"] {
        tree::check(folder, &["rs"], |_, text| rules::opens_with_its_purpose(text));
    }
}

#[test]
fn no_file_of_src_is_long() {
    for folder in tree::CODE {
        tree::check(folder, &["rs"], |_, text| rules::is_short(text));
    }
}

#[test]
fn nothing_is_called_by_a_name_that_could_hold_anything() {
    for folder in ["src", "core/src", "tests", "benches"] {
        tree::check(folder, &["rs"], rules::is_named_for_something);
    }
}

#[test]
fn only_daemon_and_cli_read_the_wall_clock() {
    tree::check_code(outside(CLOCK_ROOMS, rules::reads_no_clock));
}

#[test]
fn no_sql_reads_a_clock() {
    tree::check("migrations", &["sql"], |_, text| rules::sql_reads_no_clock(text));
    tree::check("src/store", &["rs"], |path, text| {
        if path == DATABASE_CLOCK { Vec::new() } else { rules::rust_sql_reads_no_clock(text) }
    });
}

#[test]
fn nothing_prints_past_the_handles() {
    tree::check_code(|_, text| rules::prints_nothing(text));
}

#[test]
fn every_route_of_the_pages_says_what_it_needs() {
    tree::check_code(|path, text| {
        let of_pages = path.starts_with("src/web/") && path != "src/web/routes.rs";
        if of_pages { rules::adds_no_route(text) } else { Vec::new() }
    });
}

#[test]
fn a_crate_behind_a_wall_is_named_only_there() {
    for (krate, rooms) in BEHIND_A_WALL {
        tree::check_code(outside(rooms, |text| rules::does_not_name(text, krate)));
    }
}

#[test]
fn nothing_in_the_tree_names_a_folder_of_one_machine() {
    tree::check(".", &[], |_, text| rules::names_no_machine(text));
}

/// The rule, for every file that is not in one of these rooms.
fn outside(rooms: &[&str], rule: impl Fn(&str) -> Vec<Mistake>) -> impl Fn(&str, &str) -> Vec<Mistake> {
    move |path, text| {
        let room = edges::place(tree::in_rooms(path)).0;
        if rooms.contains(&room) { Vec::new() } else { rule(text) }
    }
}
