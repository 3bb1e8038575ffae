//! Lists of the latest items and runs of several topics: page by page, they hold what the list of all topics has of these,
//! in its order.

use topicwatch::model::{Source, Time, Topic};
use topicwatch::store::{AllItemsCursor, Filter, ItemRow, RunFilter, RunRow, Store};

use crate::support::databases::databases;
use crate::support::searched::{NOW, open_store, outcome, seen_item, start_manual_run, topic};

/// More topics than lists are merged from.
const TOPICS: usize = 56;
const PAGE: u32 = 3;
const ALL: u32 = 1_000;

fn names(numbers: impl IntoIterator<Item = usize>) -> Vec<String> {
    numbers.into_iter().map(|number| format!("t{number:02}")).collect()
}

/// An item of each topic. Two topics share each item, and four see theirs at one instant.
async fn fill(store: &Store) {
    let tag = |number: usize| if number.is_multiple_of(2) { "even" } else { "odd" };
    let watched: Vec<Topic> = names(0..TOPICS)
        .iter()
        .enumerate()
        .map(|(number, id)| Topic { tags: vec![tag(number).to_owned()], ..topic(id) })
        .collect();
    store.sync_topics(&watched, NOW).await.unwrap();
    for (number, watched) in watched.iter().enumerate() {
        let at = Time(NOW.0 + i64::try_from(number / 4).unwrap());
        let run = start_manual_run(store, watched, &format!("R{number:02}"), at).await;
        let key = format!("post:x:{}", 1 + number / 2);
        let item = seen_item(Source::Social, 1, &[key.as_str()], &format!("what {key} says"));
        store.finish(&run, outcome(at, vec![item])).await.unwrap();
    }
    store.publish().await.unwrap();
}

fn ids(rows: &[ItemRow]) -> Vec<String> {
    rows.iter().map(|row| format!("{} {}", row.topic, row.key)).collect()
}

fn run_ids(rows: &[RunRow]) -> Vec<String> {
    rows.iter().map(|row| row.run.clone()).collect()
}

/// The items of a list that continues after a place, page by page.
async fn found(store: &Store, filter: &Filter) -> Vec<ItemRow> {
    let (mut rows, mut after) = (Vec::new(), None);
    loop {
        let page = store.list_found(filter, after.as_ref(), PAGE).await.unwrap();
        let Some(last) = page.last() else { return rows };
        let (first_seen, topic, key) = (last.first_seen, last.topic.clone(), last.key.clone());
        after = Some(AllItemsCursor { first_seen, topic, key });
        rows.extend(page);
    }
}

/// The same for the list that continues after a row.
async fn items(store: &Store, filter: &Filter) -> Vec<ItemRow> {
    let mut rows: Vec<ItemRow> = Vec::new();
    loop {
        let page = store.items(filter, rows.last(), i64::from(PAGE)).await.unwrap();
        if page.is_empty() {
            return rows;
        }
        rows.extend(page);
    }
}

/// The runs of a list, page by page.
async fn runs(store: &Store, topics: &[String]) -> Vec<RunRow> {
    let filter = RunFilter { topics: Some(topics.to_vec()), ..RunFilter::default() };
    let (mut rows, mut after) = (Vec::new(), None);
    loop {
        let page = store.list_runs(&filter, after.as_ref(), PAGE).await.unwrap();
        let Some((last, _)) = page.last() else { return rows };
        after = Some(last.clone());
        rows.extend(page.into_iter().map(|(_, run)| run));
    }
}

#[tokio::test]
async fn a_list_of_several_topics_equals_the_full_list_filtered() {
    for database in databases() {
        let store = open_store(&database).await;
        fill(&store).await;
        let name = database.name;
        let every = Filter::default();
        let all_found = store.list_found(&every, None, ALL).await.unwrap();
        let all_items = store.items(&every, None, i64::from(ALL)).await.unwrap();
        let all_runs = store.runs(&every, i64::from(ALL)).await.unwrap();
        assert_eq!((all_found.len(), all_items.len(), all_runs.len()), (TOPICS, TOPICS, TOPICS), "{name}");
        let of = |topics: Vec<String>, tags: &[&str]| Filter {
            topics,
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            ..Filter::default()
        };
        for (filter, topics) in [
            (of(names([3, 1, 3]), &[]), names([1, 3])),
            (of(names(0..53), &[]), names(0..53)),
            (of(Vec::new(), &["even"]), names((0..TOPICS).step_by(2))),
            (of(Vec::new(), &["even", "odd"]), names(0..TOPICS)),
            (of(names([1, 2, 3]), &["odd"]), names([1, 3])),
            (of(Vec::new(), &["none"]), Vec::new()),
        ] {
            let shown = |rows: &[ItemRow]| {
                ids(&rows.iter().filter(|row| topics.contains(&row.topic)).cloned().collect::<Vec<_>>())
            };
            assert_eq!(ids(&found(&store, &filter).await), shown(&all_found), "{name}: {filter:?}");
            assert_eq!(ids(&items(&store, &filter).await), shown(&all_items), "{name}: {filter:?}");
            let of_topics = all_runs.iter().filter(|run| run.topic.as_ref().is_some_and(|id| topics.contains(id)));
            let of_topics = run_ids(&of_topics.cloned().collect::<Vec<_>>());
            let listed = store.runs(&filter, i64::from(ALL)).await.unwrap();
            assert_eq!(run_ids(&listed), of_topics, "{name}: {filter:?}");
            assert_eq!(run_ids(&runs(&store, &topics).await), of_topics, "{name}: {topics:?}");
        }
        database.close(store).await;
    }
}
