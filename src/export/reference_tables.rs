//! Generates the tables of docs/reference/exports.md: which filters each kind takes, and its columns. A column that
//! several kinds share is described once. A test compares the page with these tables; the text around them is written
//! by hand.

use super::column::Heading;
use super::row_kind::{ExportFilter, ExportKind, SCHEMA};

const HEAD: &str = "| column | type | unit | meaning |\n|---|---|---|---|\n";

/// The table row of a column, without a unit that the name or meaning already says.
fn row(column: &Heading) -> String {
    let is_unit_named =
        column.name == column.unit || column.meaning.split(|c: char| !c.is_alphabetic()).any(|w| w == column.unit);
    let unit = if is_unit_named || column.unit.is_empty() { String::new() } else { format!(" {}", column.unit) };
    format!("| `{}` | {} |{unit} | {} |\n", column.name, column.kind, column.meaning)
}

/// The columns that several kinds have with the same meaning, in the order in which they first occur.
fn shared() -> Vec<&'static Heading> {
    let all: Vec<&'static Heading> = ExportKind::ALL.iter().flat_map(|what| what.columns()).collect();
    let mut shared: Vec<&'static Heading> = Vec::new();
    for column in &all {
        if all.iter().filter(|other| other == &column).count() > 1 && !shared.contains(column) {
            shared.push(column);
        }
    }
    shared
}

/// The kinds, their filters and columns, as Markdown.
#[must_use]
pub fn reference_tables() -> String {
    let mut page = format!("Version of the columns: {SCHEMA}.\n\n| filter |");
    for what in ExportKind::ALL {
        page.push_str(&format!(" {what} |"));
    }
    page.push_str(&format!("\n|---|{}\n| `--topic` |", "---|".repeat(ExportKind::ALL.len())));
    page.push_str(&" ✓ |".repeat(ExportKind::ALL.len()));
    page.push('\n');
    for part in ExportFilter::ALL {
        page.push_str(&format!("| `{}` |", part.as_str().replace(" and ", "`, `")));
        for what in ExportKind::ALL {
            match part {
                // The column that times are compared with.
                ExportFilter::Time => page.push_str(&format!(" {} |", what.time_column())),
                part => page.push_str(if what.supported_filters().contains(part) { " ✓ |" } else { " |" }),
            }
        }
        page.push('\n');
    }
    let shared = shared();
    page.push_str("\n## Shared columns\nIn the tables below, a column without a meaning is one of these.\n\n");
    page.push_str(HEAD);
    for column in &shared {
        page.push_str(&row(column));
    }
    for what in ExportKind::ALL {
        page.push_str(&format!("\n## {what}\n{}\n\n{HEAD}", what.description()));
        for column in what.columns() {
            if shared.contains(&column) {
                page.push_str(&format!("| `{}` | | | |\n", column.name));
            } else {
                page.push_str(&row(column));
            }
        }
    }
    page
}
