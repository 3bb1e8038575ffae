//! The read views: on both databases they are readable and have the columns of docs/reference/sql.md in the same order.
//! Also their times.

use topicwatch::store::{Settings, Store};

use crate::support::databases::databases;

fn documented() -> Vec<(String, Vec<String>)> {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/sql.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| `v_"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        (cells[0].trim_matches('`').to_owned(), cells[2].split(", ").map(str::to_owned).collect())
    })
    .collect()
}

#[tokio::test]
async fn views_have_the_documented_columns_on_both_databases() {
    let promised = documented();
    assert_eq!(promised.len(), 6);
    for database in databases() {
        let settings =
            Settings { url: database.url.clone(), schema: database.schema.clone(), origin: None, create: true };
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

#[tokio::test(flavor = "multi_thread")]
async fn views_show_times_before_1970_correctly_on_both_databases() {
    for database in databases() {
        let settings =
            Settings { url: database.url.clone(), schema: database.schema.clone(), origin: None, create: true };
        let store = Store::open(&settings).await.unwrap();
        for row in [
            "run (public_id, job, trigger, state, due_at, planned_at, seq) VALUES ('r', 'topic:a', 'manual', 'ok', 0, 0, 1)",
            "item (key, kind, strong, published_at, first_seen, last_seen) VALUES ('page:a', 'page', 1, -500, 7, 1773219600007)",
        ] {
            database.execute(&format!("INSERT INTO {row}")).await;
        }
        database.add_items_to_topic("a", "r", "key = 'page:a'");
        let times = database.texts("SELECT published_at || ' ' || first_seen || ' ' || last_seen FROM v_item");
        let expected = "1969-12-31T23:59:59.500Z 1970-01-01T00:00:00.007Z 2026-03-11T09:00:00.007Z";
        assert_eq!(times, [expected], "{}", database.name);
        database.close(store).await;
    }
}
