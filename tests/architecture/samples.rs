//! Tests every rule on a sample that breaks it and on one that does not.

use crate::{allowed, outside, rules, tree};

/// The lines at which a rule finds something.
fn lines(found: Vec<rules::Mistake>) -> Vec<usize> {
    found.into_iter().map(|(line, _)| line).collect()
}

#[test]
fn edges_missing_from_the_table_are_refused() {
    for (from, to) in
        [("search", "model"), ("export", "compare"), ("cli", "daemon"), ("main", "cli"), ("cli", "config")]
    {
        assert!(allowed(from, to), "{from} -> {to}");
    }
    for (from, to) in [
        ("model", "store"),
        ("sandbox", "search"),
        ("search", "store"),
        ("daemon", "config"),
        ("store", "cli"),
        ("main", "store"),
        ("cli", "*"),
        ("cli", "no_such_room"),
        ("no_such_room", "model"),
    ] {
        assert!(!allowed(from, to), "{from} -> {to}");
    }
}

#[test]
fn a_file_without_a_purpose_comment_is_refused() {
    for bad in ["", "//!", "//!  \nuse a;", "// words", "use a;\n//! words", "/// words"] {
        assert_eq!(lines(rules::opens_with_its_purpose(bad)), [1], "{bad}");
    }
    assert!(rules::opens_with_its_purpose("//! What it is for.\n").is_empty());
}

#[test]
fn a_long_file_is_refused() {
    assert!(rules::is_short(&"x\n".repeat(rules::MAX_LINES)).is_empty());
    assert_eq!(lines(rules::is_short(&"x\n".repeat(rules::MAX_LINES + 1))), [rules::MAX_LINES + 1]);
}

#[test]
fn a_vague_name_is_refused() {
    for bad in ["src/utils.rs", "src/store/helper/mod.rs", "tests/common/mod.rs", "src/manager.rs"] {
        assert_eq!(lines(rules::has_specific_name(bad, "")), [1], "{bad}");
    }
    assert_eq!(lines(rules::has_specific_name("src/a.rs", "\nmod helpers { }")), [2]);
    assert!(rules::has_specific_name("src/store/commons_list.rs", "// mod utils;\nmod item;").is_empty());
}

#[test]
fn a_clock_outside_daemon_and_cli_is_refused() {
    for bad in
        ["std::time::SystemTime::now()", "jiff::Timestamp :: now()", "Zoned::now", "Utc::now()", "Ulid::generate()"]
    {
        assert_eq!(lines(rules::reads_no_clock(bad)), [1], "{bad}");
        let rule = outside(&["daemon", "cli"], rules::reads_no_clock);
        assert!(rule("src/daemon/tick.rs", bad).is_empty() && rule("src/cli/mod.rs", bad).is_empty());
        assert_eq!(rule("src/store/mod.rs", bad).len(), 1);
    }
    let good = "Instant::now(); // SystemTime::now()\n clock.now(); #[cfg(test)] mod tests { fn f() { Zoned::now() } }";
    assert!(rules::reads_no_clock(good).is_empty());
}

#[test]
fn sql_that_reads_a_clock_is_refused() {
    for bad in [
        "x\nSELECT now()",
        "x\nINSERT INTO t VALUES (NOW ( ))",
        "x\na bigint DEFAULT CURRENT_TIMESTAMP",
        "x\nCURRENT_DATE",
        "x\nSELECT clock_timestamp()",
        "x\nstrftime('%s', 'now')",
        "x\nSELECT 'now'::timestamptz",
        "x\nSELECT unixepoch( ), 1",
        "x\ndatetime(at, 'unixepoch', 'localtime')",
    ] {
        assert_eq!(lines(rules::sql_reads_no_clock(bad)), [2], "{bad}");
    }
    for good in [
        "SELECT at -- not now()",
        "SELECT known_now, now_at, now FROM t",
        "strftime('%Y-%m-%d', at / 1000, 'unixepoch')",
        "SELECT datetime(at), 'it is now or never'",
        "the store is told `now()`",
    ] {
        assert!(rules::sql_reads_no_clock(good).is_empty(), "{good}");
    }
    let rust = "fn f() { self.now(); now() }\nquery(\"SELECT 1,\n now()\"); // now()\n";
    assert_eq!(lines(rules::rust_sql_reads_no_clock(rust)), [3]);
}

#[test]
fn printing_is_refused() {
    assert_eq!(lines(rules::prints_nothing("\nfn f() { println!(\"\"); eprint!(\"\") }\ndbg!(1)")), [2, 2, 3]);
    assert!(rules::prints_nothing("// println!()\nwriteln!(out)?; #[cfg(test)] fn f() { println!() }").is_empty());
}

#[test]
fn a_route_without_a_required_role_is_refused() {
    assert_eq!(lines(rules::adds_no_route("r.get(\"/\", Open, show)\n.route(\"/x\", get(x)).merge(other)")), [2, 2]);
    assert!(rules::adds_no_route("// .route()\nroute(x); self.routes.get(\"/\", Open, show)").is_empty());
}

#[test]
fn a_walled_crate_outside_its_room_is_refused() {
    assert_eq!(lines(rules::does_not_name("use serde;\nuse sqlx::Row;", "sqlx")), [2]);
    assert!(rules::does_not_name("// sqlx::Row\nuse sqlx_like::Row;", "sqlx").is_empty());
}

#[test]
fn a_path_of_one_machine_is_refused() {
    for folder in [concat!("/wo", "rk/x"), concat!("/ro", "ot/.cargo")] {
        assert_eq!(lines(rules::names_no_machine(&format!("\nDIR={folder}"))), [2]);
        assert!(rules::names_no_machine(&format!("https://example.com{folder} and ..{folder}")).is_empty());
    }
}

#[test]
fn a_mistake_is_reported_with_its_place() {
    let files =
        [("src/a.rs".to_owned(), "//! A.\n\nprintln!()".to_owned()), ("src/b.rs".to_owned(), "//! B.".to_owned())];
    let found = tree::mistakes(&files, |_, text| rules::prints_nothing(text));
    assert_eq!(found, ["src/a.rs:3: `println!` panics on a closed pipe: write through a handle"]);
}
