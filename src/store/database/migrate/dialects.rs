//! Tests that the migrations of both databases have the same tables, columns, indexes and views in the same order, and
//! a comment for each table.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::migrations::{POSTGRES, SQLITE};

/// The names in a migration, in order: `CREATE TABLE run`, `CREATE INDEX run_due`, `run.slot`. The text index is left
/// out, because each database has its own kind.
fn names(sql: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut table = None;
    for line in sql.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let named = words.iter().position(|word| ["TABLE", "INDEX", "VIEW"].contains(word)).map(|at| words[at + 1]);
        if line.starts_with("CREATE") {
            let name = named.unwrap();
            table = (words[1] == "TABLE").then_some(name);
            if !name.starts_with("item_words") {
                names.push(format!("{} {name}", words[..2].join(" ")));
            }
        } else if line.starts_with(")") {
            table = None;
        } else if let (Some(table), Some(column)) = (table, words.first())
            && line.starts_with("    ")
            && !["--", "PRIMARY", "UNIQUE", "CHECK"].contains(column)
            && table != "item_words"
        {
            names.push(format!("{table}.{column}"));
        }
    }
    names
}

#[test]
fn both_databases_have_the_same_names_in_the_same_order() {
    assert_eq!(SQLITE.len(), POSTGRES.len());
    for ((number, name, sqlite), (other_number, other_name, postgres)) in SQLITE.iter().zip(POSTGRES) {
        assert_eq!((number, name), (other_number, other_name));
        assert_eq!(names(sqlite), names(postgres), "{number:04}_{name}.sql");
    }
    let all = names(SQLITE[0].2);
    for name in ["CREATE TABLE run", "run.slot", "CREATE UNIQUE", "CREATE VIEW v_item", "item_mark.suggested"] {
        assert!(all.iter().any(|held| held.starts_with(name)), "{name}: {all:?}");
    }
}

#[test]
fn each_table_has_a_comment() {
    for (number, name, sql) in SQLITE.iter().chain(POSTGRES) {
        let lines: Vec<&str> = sql.lines().collect();
        for pair in lines.windows(2).filter(|pair| pair[1].starts_with("CREATE TABLE")) {
            assert!(pair[0].starts_with("-- "), "{number:04}_{name}.sql: {}", pair[1]);
        }
    }
}
