//! The part of docs/reference/exports.md that is written from the tables: which filters each kind takes, and its columns. A test
//! holds the page and this together; the words around it are the page's own.

use super::what::{Part, SCHEMA, What};

/// The kinds, their filters and columns, as Markdown.
#[must_use]
pub fn page() -> String {
    let mut page = format!("Version of the columns: {SCHEMA}.\n\n| filter |");
    for what in What::ALL {
        page.push_str(&format!(" {what} |"));
    }
    page.push_str(&format!("\n|---|{}\n| `--topic` |", "---|".repeat(What::ALL.len())));
    page.push_str(&" yes |".repeat(What::ALL.len()));
    page.push('\n');
    for part in Part::ALL {
        page.push_str(&format!("| `{}` |", part.as_str().replace(" and ", "`, `")));
        for what in What::ALL {
            page.push_str(if what.takes().contains(part) { " yes |" } else { " |" });
        }
        page.push('\n');
    }
    for what in What::ALL {
        page.push_str(&format!("\n## {what}\n{} `--since` and `--until` mean {}.\n\n", what.rows(), what.time()));
        page.push_str("| column | type | unit | meaning |\n|---|---|---|---|\n");
        for column in what.columns() {
            let unit = if column.unit.is_empty() { String::new() } else { format!(" {}", column.unit) };
            page.push_str(&format!("| `{}` | {} |{unit} | {} |\n", column.name, column.kind, column.meaning));
        }
    }
    page
}
