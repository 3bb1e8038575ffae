//! The read views: the columns that docs/sql.md promises, in its order, on both databases, each readable.

use topicwatch::store::{Settings, Store};

use crate::databases::databases;

fn promised() -> Vec<(String, Vec<String>)> {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sql.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `v_"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        (cells[0].trim_matches('`').to_owned(), cells[2].split(", ").map(str::to_owned).collect())
    })
    .collect()
}

#[tokio::test]
async fn the_views_have_the_columns_that_the_docs_promise_on_both_databases() {
    let promised = promised();
    assert_eq!(promised.len(), 5);
    for database in databases() {
        let settings =
            Settings { url: database.url.clone(), schema: database.schema.clone(), nature: None, create: true };
        let store = Store::open(&settings).await.unwrap();
        for (view, columns) in &promised {
            // Naming the columns fails when one is missing; UNION with as many literals fails when there are more.
            let literals = vec!["NULL"; columns.len()].join(", ");
            database.execute(&format!("SELECT {} FROM {view}", columns.join(", "))).await;
            database.execute(&format!("SELECT * FROM {view} UNION ALL SELECT {literals} WHERE 1 = 0")).await;
        }
        database.close(store).await;
    }
}
