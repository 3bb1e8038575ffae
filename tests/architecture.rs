//! Checks which room may use which, and the rules that hold for every file. The text analysis is in `architecture/`;
//! the reasons for the boundaries are in docs/ARCHITECTURE.md.
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

/// The most entries of a folder. With more, files are searched for, not found by their subject.
const MOST_ENTRIES: usize = 20;

/// The most entries of `src/store`, each of which is a subject.
const MOST_SUBJECTS: usize = 12;

/// Each room of `src/` and `core/src/` and the rooms it may use. Only `cli` may use every room: it wires the parts
/// together.
const ROOMS: &[(&str, &[&str])] = &[
    // Empty in a release build.
    ("failpoint", &[]),
    ("model", &[]),
    ("http", &["model"]),
    ("files", &[]),
    ("edit", &["model"]),
    ("import", &["model", "edit"]),
    // Limits the number of connections; it speaks no protocol.
    ("listener", &[]),
    ("budget", &["model"]),
    // The state of the running process, for metrics and pages.
    ("process_status", &["model"]),
    ("schedule", &["model"]),
    ("normalise", &["model"]),
    ("filter", &["model", "normalise"]),
    ("sentiment", &["model", "normalise"]),
    // Uses nothing of `search`, so that the sandbox and the client check each other.
    ("sandbox", &["model", "listener"]),
    // Uses `normalise` to tell which feed entries share an address.
    ("search", &["model", "http", "normalise", "failpoint"]),
    ("store", &["model", "failpoint"]),
    // Uses `normalise` for the words of items that people marked.
    ("insight", &["model", "budget", "schedule", "normalise", "filter"]),
    // Used by both reports and pages.
    ("draw", &["model", "insight"]),
    // Uses `filter`: daily term counts are taken after the topics' filters.
    ("collect", &["model", "budget", "search", "normalise", "filter", "sentiment", "store", "insight", "failpoint"]),
    // Uses `normalise` for the keys of links in an answer, `schedule` for the next slot of a topic's card.
    ("compare", &["model", "schedule", "normalise", "filter", "store", "insight", "failpoint"]),
    // Uses `normalise` for links that are safe to show, `schedule` to format times and zones.
    ("export", &["model", "files", "schedule", "normalise", "store", "insight", "compare", "failpoint"]),
    ("metrics", &["model", "store", "insight", "process_status"]),
    ("notify", &["model", "http", "store", "failpoint", "process_status"]),
    // Uses `normalise` for links that are safe to show.
    ("report", &["model", "normalise", "filter", "store", "insight", "compare", "draw", "failpoint"]),
    // Uses `normalise` to parse search words, `schedule` to format times.
    ("mcp", &["model", "schedule", "normalise", "store", "insight", "compare", "report"]),
    // Uses `normalise` for links that are safe to show and to parse search words, `schedule` to format times, `export`
    // for the exports of the API, `edit` for forms that change `jobs.toml`.
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
    ("alert", &["model", "store", "insight", "compare", "normalise", "failpoint"]),
    // Uses `notify` to validate mail addresses.
    ("config", &["model", "budget", "schedule", "search", "filter", "export", "notify"]),
    ("daemon", &["model", "schedule", "collect", "store", "failpoint", "process_status"]),
    ("cli", EVERY_ROOM),
    ("main", &["cli"]),
    ("lib", &[]),
];

/// Means every room.
const EVERY_ROOM: &[&str] = &["*"];

/// Crates that only some rooms may use, with those rooms.
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

/// The rooms that may read the wall clock. They pass the time to the others.
const CLOCK_ROOMS: &[&str] = &["daemon", "cli"];

/// The only file that may ask a database for its time, so that several hosts on one PostgreSQL agree.
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
fn every_allowed_edge_between_rooms_is_used() {
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
fn the_table_lists_exactly_the_existing_rooms_without_a_cycle() {
    let mut there: Vec<String> =
        tree::code().iter().map(|(path, _)| edges::place(tree::in_rooms(path)).0.to_owned()).collect();
    there.sort();
    there.dedup();
    let mut table: Vec<_> = ROOMS.iter().map(|(room, _)| (*room).to_owned()).collect();
    // A room uses only rooms above it in the table, so there can be no cycle.
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
fn files_do_not_use_each_other_in_a_cycle() {
    let files: Vec<(String, String)> = tree::code()
        .into_iter()
        .filter(|(path, _)| !tree::is_of_tests(path))
        .map(|(path, text)| (tree::in_rooms(&path).to_owned(), text))
        .collect();
    let uses = circles::uses(&files);
    assert!(uses.len() > 100, "the walk saw {} files that use another", uses.len());
    let circles = circles::circles(&uses);
    let described: Vec<String> = circles.iter().map(|circle| circles::describe(&uses, circle)).collect();
    assert!(described.is_empty(), "move what both files need to a third file:\n{}", described.join("\n"));
}

/// Only `src/failpoint.rs` has hooks for tests, and it uses no other file: .ci/run compiles it alone to see that a release
/// has none.
#[test]
fn only_failpoints_depend_on_debug_assertions() {
    let mut files = Vec::new();
    for (path, text) in tree::code() {
        let all = source::tokens(&text);
        if source::shipped(&all).iter().any(|token| {
            token.is("debug_assertions")
                || token.kind == source::Kind::Text
                    && token.text.starts_with("TOPICWATCH_TEST_")
                    && token.text != "TOPICWATCH_TEST_DATA"
        }) {
            files.push(path);
        }
    }
    assert_eq!(files, ["src/failpoint.rs"]);
}

/// Code that tests share is in `support/`, so that each test file can be read and removed alone.
#[test]
fn test_files_share_code_only_through_support() {
    let mut mistakes = Vec::new();
    for (tests, least) in [("tests/it", 100), ("core/tests/simulations", 5)] {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(tests);
        let mut files = 0;
        for entry in std::fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            if !name.ends_with(".rs") || name == "main.rs" {
                continue;
            }
            files += 1;
            let text = std::fs::read_to_string(entry.path()).unwrap();
            let all = source::tokens(&text);
            for three in all.windows(3).filter(|three| three[1].is("::")) {
                let beside = three[0].is("super") && folder.join(format!("{}.rs", three[2].text)).is_file();
                if three[0].is("crate") && !three[2].is("support") || beside {
                    mistakes.push(format!("{tests}/{name}:{} uses `{}`", three[0].line, three[2].text));
                }
            }
        }
        assert!(files > least, "the walk saw {files} files of {tests}");
    }
    assert!(mistakes.is_empty(), "move what tests share to their support/:\n{}", mistakes.join("\n"));
}

/// The names and keywords in a line of SQL.
fn words(line: &str) -> Vec<&str> {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect()
}

/// The number of test lines that read a table although there is a view of it. Some must: query plans, statements that
/// set up a state, and data that no view shows. Lower it, never raise it.
const LINES_THAT_READ_TABLES: usize = 16;

/// Tables may change, so tests use the views.
#[test]
fn tests_read_the_views_and_not_the_tables() {
    const TABLES: [&str; 6] = ["run", "search", "item", "sighting", "answer", "topic_item"];
    let reads = |line: &str| {
        let words = words(line);
        // Statements that write set up a state.
        let writes = words.iter().any(|word| ["INSERT", "UPDATE", "DELETE"].contains(word));
        !writes && words.windows(2).any(|two| ["FROM", "JOIN"].contains(&two[0]) && TABLES.contains(&two[1]))
    };
    let files = tree::files("tests/it", &["rs"]);
    let cases = files.iter().filter(|(path, _)| !path.starts_with("tests/it/support/"));
    let many: usize = cases.map(|(_, text)| text.lines().filter(|line| reads(line)).count()).sum();
    assert!(
        many <= LINES_THAT_READ_TABLES,
        "{many} lines of tests/it name a table after FROM or JOIN, more than the {LINES_THAT_READ_TABLES} there were: \
         use the views of docs/reference/sql.md, or a function of tests/it/support/stored.rs, ledger.rs or item_tables.rs"
    );
}

/// The number of test lines that write into tables. Some must: states that the program reaches only after years, or
/// that only an earlier version or a damaged file leaves. Lower it, never raise it.
const LINES_THAT_WRITE_TABLES: usize = 102;

/// Tests use the program itself if that costs the same. Writes that several files need are in `support/`.
#[test]
fn tests_rarely_write_to_tables_themselves() {
    let writes = |line: &str| {
        words(line).windows(2).any(|two| match two[0] {
            "INSERT" => two[1] == "INTO" || two[1] == "OR",
            "UPDATE" => two[1].starts_with(|c: char| c.is_ascii_lowercase()),
            "DELETE" => two[1] == "FROM",
            _ => false,
        })
    };
    let files = tree::files("tests/it", &["rs"]);
    let cases = files.iter().filter(|(path, _)| !path.starts_with("tests/it/support/"));
    let many: usize = cases.map(|(_, text)| text.lines().filter(|line| writes(line)).count()).sum();
    assert!(
        many <= LINES_THAT_WRITE_TABLES,
        "{many} lines of tests/it write into a table, more than the {LINES_THAT_WRITE_TABLES} there were: \
         use a command, a server with scripted replies, or a function of tests/it/support/{{made,kept,alert}}_rows.rs"
    );
}

/// To add a provider kind you declare it, write its protocol, and name that file in one place. The sandbox may imitate
/// it, too.
#[test]
fn a_kind_of_provider_is_named_in_three_files_at_most() {
    let files: Vec<(String, String)> = tree::code()
        .into_iter()
        .filter(|(path, _)| !tree::is_of_tests(path) && !path.starts_with("src/sandbox/"))
        .collect();
    let dialects = topicwatch::search::Dialect::ALL.iter().map(|dialect| dialect.as_str()).collect::<Vec<_>>();
    // Kinds of a search service share their names with its dialects, which are also named where `[service]` is parsed.
    for kind in topicwatch::model::KINDS.iter().filter(|kind| !dialects.contains(&kind.name)) {
        let named = |text: &str| {
            if !text.contains(kind.name) {
                return false;
            }
            let all = source::tokens(text);
            let code = source::shipped(&all);
            let literal = code.iter().any(|token| token.kind == source::Kind::Text && token.text == kind.name);
            let path = code
                .windows(2)
                .any(|two| two[0].is(kind.name) && two[1].is("::") || two[0].is("mod") && two[1].is(kind.name));
            literal || path
        };
        // A tool of the service's AI search has the same name as a kind, and an import reads feeds.
        let mut paths: Vec<&str> = files
            .iter()
            .filter(|(path, text)| {
                path != "src/search/call_limits.rs" && !path.starts_with("src/import/") && named(text)
            })
            .map(|(path, _)| path.as_str())
            .collect();
        paths.sort_unstable();
        let own = format!("src/search/kinds/{}.rs", kind.name);
        let declared = ["core/src/model/sources/provider_kinds.rs", "src/search/kinds/mod.rs"];
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
fn every_file_opens_with_a_comment_on_its_purpose() {
    for folder in ["src", "core/src", "core/tests", "tests", "benches", "build.rs"] {
        tree::check(folder, &["rs"], |_, text| rules::opens_with_its_purpose(text));
    }
}

#[test]
fn no_file_of_src_is_long() {
    for folder in tree::CODE {
        tree::check(folder, &["rs"], |_, text| rules::is_short(text));
    }
}

/// The rooms themselves are in `ROOMS`.
#[test]
fn no_folder_of_src_has_many_entries() {
    for root in tree::CODE {
        let folders = tree::entries(&tree::files(root, &[]));
        assert!(folders.len() > 10, "the walk saw {} folders of {root}", folders.len());
        let most = |folder: &str| if folder == "src/store" { MOST_SUBJECTS } else { MOST_ENTRIES };
        let crowded: Vec<String> = folders
            .iter()
            .filter(|(folder, many)| folder.as_str() != root && **many > most(folder))
            .map(|(folder, many)| format!("{folder} has {many} entries, more than {}", most(folder)))
            .collect();
        assert!(crowded.is_empty(), "group them by subject:\n{}", crowded.join("\n"));
    }
}

#[test]
fn no_file_or_module_has_a_vague_name() {
    for folder in ["src", "core/src", "core/tests", "tests", "benches"] {
        tree::check(folder, &["rs"], rules::has_specific_name);
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
fn code_prints_only_through_the_handles() {
    tree::check_code(|_, text| rules::prints_nothing(text));
}

#[test]
fn every_web_route_declares_the_role_it_needs() {
    tree::check_code(|path, text| {
        let of_pages = path.starts_with("src/web/") && path != "src/web/server/routes.rs";
        if of_pages { rules::adds_no_route(text) } else { Vec::new() }
    });
}

#[test]
fn each_walled_crate_is_named_only_in_its_room() {
    for (krate, rooms) in BEHIND_A_WALL {
        let rule = |text: &str| if text.contains(krate) { rules::does_not_name(text, krate) } else { Vec::new() };
        tree::check_code(outside(rooms, rule));
    }
}

#[test]
fn no_file_contains_a_path_of_one_machine() {
    tree::check(".", &[], |_, text| rules::names_no_machine(text));
}

/// Applies the rule to every file outside these rooms.
fn outside(rooms: &[&str], rule: impl Fn(&str) -> Vec<Mistake>) -> impl Fn(&str, &str) -> Vec<Mistake> {
    move |path, text| {
        let room = edges::place(tree::in_rooms(path)).0;
        if rooms.contains(&room) { Vec::new() } else { rule(text) }
    }
}
