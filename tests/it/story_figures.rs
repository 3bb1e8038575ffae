//! The numbers of a story: compared with separate SQL and with the known facts of an invented history, on both
//! databases. `story_cli` tests the terminal, the page and the API.

use topicwatch::compare::story;
use topicwatch::draw::story_chart;
use topicwatch::insight::story::{Story, TimeBasis};
use topicwatch::model::{Source, Tie, Time};
use topicwatch::store::Store;

use crate::support::copied_posts::STORM;
use crate::support::databases::{Database, databases};
use crate::support::program::Place;
use crate::support::searched::{open_store, topic};
use crate::support::story_history::{
    self, PAGE, PAGE_KEY, TOPICS, covering, minutes, post, run_followers, sql, store_run,
};
use crate::support::world::ScriptedService;

async fn story_of(store: &Store, key: &str) -> Story {
    story(store, key).await.unwrap().unwrap_or_else(|| panic!("nothing has {key}"))
}

/// Forgets post 14 with the program.
fn forget(database: Database) -> Database {
    let topics = TOPICS.map(|id| format!("[[topics]]\nid = \"{id}\"\nquery = \"{id}\"\n")).concat();
    let place = Place::new(database, &ScriptedService::new().lines(), &topics);
    place.ok(&["forget", "--item", "post:x:14", "--yes"]);
    place.database
}

fn assert_figure(database: &Database, query: &str, figure: i64) {
    assert_eq!(database.number(&sql(query)), figure, "{}: {query}", database.name);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_figure_of_a_story_equals_sql_and_the_known_history() {
    for database in databases() {
        let store = open_store(&database).await;
        story_history::store_history(&store).await;
        assert_eq!(story_of(&store, "post:x:1").await.items, 17);
        store.close().await;
        let database = forget(database);
        let store = open_store(&database).await;
        let reported = story_of(&store, "post:x:1").await;
        let d = &database;
        let n = |n: usize| i64::try_from(n).unwrap();
        // The known facts.
        assert_eq!((reported.items, reported.unique, reported.copies, reported.linked), (16, 4, 12, 3), "{}", d.name);
        assert_eq!(
            (reported.authors, reported.topics.len(), reported.sources.len(), reported.undated),
            (Some(13), 3, 2, 3)
        );
        assert_eq!((reported.from, reported.until), (minutes(10), minutes(390)));
        assert!(reported.complete && !reported.seen_once && !reported.uncompared && !reported.sightings_pruned);
        let first = reported.first_published.as_ref().unwrap();
        assert_eq!((first.key.as_str(), first.at, first.at_is), ("post:x:1", minutes(10), TimeBasis::Published));
        assert_eq!((reported.first_seen.key.as_str(), reported.first_seen.topic.as_str()), ("post:x:2", "acme"));
        assert_eq!(reported.first_seen.source, Some(Source::Social));
        let of_key = |key: &str| reported.timeline.iter().find(|entry| entry.key == key).unwrap();
        assert_eq!((of_key("post:x:5").at, of_key("post:x:5").at_is), (minutes(120), TimeBasis::Seen));
        assert_eq!((of_key("post:x:6").at, of_key("post:x:6").at_is), (minutes(120), TimeBasis::Seen), "dated ahead");
        assert_eq!([of_key("post:x:1").tie, of_key("post:x:2").tie], [Tie::Asked, Tie::Copy]);
        assert_eq!([of_key(PAGE_KEY).tie, of_key("post:x:21").tie, of_key("post:x:22").tie], [Tie::Link; 3]);
        let firsts = |list: &[topicwatch::insight::story::FirstSighting]| -> Vec<(String, String, Time)> {
            list.iter().map(|f| (f.name.clone(), f.key.clone(), f.first_seen)).collect()
        };
        let row = |name: &str, key: &str, at: i64| (name.to_owned(), key.to_owned(), minutes(at));
        assert_eq!(
            firsts(&reported.topics),
            [row("acme", "post:x:2", 60), row("globex", "post:x:1", 120), row("rust", PAGE_KEY, 240)]
        );
        assert_eq!(firsts(&reported.sources), [row("social", "post:x:2", 60), row("web", "post:x:4", 60)]);
        assert_eq!(reported.edits.len(), 1);
        assert!(
            reported.edits[0].text.as_deref().unwrap().starts_with(STORM) && reported.edits[0].until == minutes(560)
        );
        assert_eq!(
            (reported.still_shown, reported.last_seen),
            (9, minutes(560)),
            "four of acme, two of globex, three of rust"
        );
        // Compared with separate SQL.
        assert_figure(d, "SELECT count(*) FROM (MEMBERS) AS m", n(reported.items));
        assert_figure(d, "SELECT count(DISTINCT m.cluster) FROM (MEMBERS) AS m", n(reported.unique));
        assert_figure(d, "SELECT count(DISTINCT lower(m.author)) FROM (MEMBERS) AS m", n(reported.authors.unwrap()));
        assert_figure(d, "SELECT count(DISTINCT k.topic) FROM (KNOWN) AS k", n(reported.topics.len()));
        assert_figure(d, "SELECT count(DISTINCT s.source) FROM (SHOWN) AS s", n(reported.sources.len()));
        assert_figure(d, "SELECT min(at) FROM (CAME) AS c", reported.from.0);
        assert_figure(d, "SELECT max(at) FROM (CAME) AS c", reported.until.0);
        assert_figure(d, "SELECT min(seen) FROM (CAME) AS c", reported.first_seen.first_seen.0);
        assert_figure(
            d,
            "SELECT count(*) FROM (CAME) AS c WHERE published_at IS NULL OR published_at > seen",
            n(reported.undated),
        );
        assert_figure(d, "SELECT max(k.last_seen) FROM (KNOWN) AS k", reported.last_seen.0);
        let middle = format!(
            "SELECT at - (SELECT min(at) FROM (CAME) AS c) FROM (CAME) AS c ORDER BY at LIMIT 1 OFFSET {}",
            reported.items.div_ceil(2) - 1
        );
        assert_figure(d, &middle, reported.half_ms.unwrap());
        let peak = reported.peak.unwrap();
        assert_figure(
            d,
            "SELECT max(many) FROM (SELECT count(*) AS many FROM (CAME) AS c GROUP BY at / 3600000) AS h",
            n(peak.items),
        );
        assert_figure(
            d,
            &format!("SELECT count(*) FROM (CAME) AS c WHERE at / 3600000 = {}", peak.hour.0 / 3_600_000),
            n(peak.items),
        );
        assert_figure(
            d,
            "SELECT count(*) FROM item_revision v JOIN (MEMBERS) AS m ON m.id = v.item WHERE m.key = 'post:x:1'",
            n(reported.edits.len()),
        );
        assert_figure(
            d,
            "SELECT count(DISTINCT k.id) FROM (KNOWN) AS k WHERE k.last_seen >= k.last_run_at",
            n(reported.still_shown),
        );
        for place in &reported.topics {
            let query = format!("SELECT min(k.first_seen) FROM (KNOWN) AS k WHERE k.topic = '{}'", place.name);
            assert_figure(d, &query, place.first_seen.0);
            assert_figure(d, &query.replace("min(k.first_seen)", "count(*)"), n(place.items));
        }
        for place in &reported.sources {
            let query = format!("SELECT min(s.seen_at) FROM (SHOWN) AS s WHERE s.source = '{}'", place.name);
            assert_figure(d, &query, place.first_seen.0);
            assert_figure(d, &query.replace("min(s.seen_at)", "count(DISTINCT s.id)"), n(place.items));
        }
        assert_eq!(reported.reach.len(), 5);
        for reach in &reported.reach {
            let whose = format!("FROM (MEMBERS) AS m WHERE lower(m.author) = '{}'", reach.author.to_lowercase());
            assert_figure(d, &format!("SELECT count(*) {whose}"), n(reach.items));
            assert_figure(d, &format!("SELECT sum(m.likes + m.reposts) {whose}"), reach.reactions.unwrap());
        }
        let best = d.texts(&sql("SELECT lower(author) FROM (MEMBERS) AS m WHERE author IS NOT NULL GROUP BY lower(author) ORDER BY sum(likes + reposts) DESC LIMIT 5"));
        assert_eq!(reported.reach.iter().map(|reach| reach.author.to_lowercase()).collect::<Vec<_>>(), best);
        for bar in &reported.chart {
            assert_figure(
                d,
                &format!("SELECT count(*) FROM (CAME) AS c WHERE at >= {} AND at < {}", bar.from.0, bar.until.0),
                n(bar.items),
            );
        }
        assert_eq!(reported.chart.iter().map(|bar| bar.new_texts).sum::<usize>(), reported.unique);
        database.close(store).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_story_joins_items_that_share_a_link_and_follows_links_one_step() {
    for database in databases() {
        let store = open_store(&database).await;
        story_history::store_history(&store).await;
        let keys = async |key: &str| {
            let mut keys: Vec<String> =
                story_of(&store, key).await.timeline.into_iter().map(|entry| entry.key).collect();
            keys.sort();
            keys
        };
        let about = [PAGE_KEY, "post:x:1", "post:x:21", "post:x:22"];
        for asked in [PAGE_KEY, PAGE, "post:x:21", "post:x:22", "http://news.example/2026/storm/"] {
            assert_eq!(keys(asked).await, about, "{}: {asked}", database.name);
        }
        // A near-copy without the link has only the copies.
        let copies = keys("post:x:2").await;
        assert_eq!((copies.len(), copies.contains(&PAGE_KEY.to_owned())), (14, false), "{}: {copies:?}", database.name);
        assert_eq!(keys("post:x:23").await, ["post:x:23"], "another address with the same start");
        assert_eq!(keys("https://twitter.com/whoever/status/24").await, ["post:x:24"]);
        assert!(story(&store, "post:x:999").await.unwrap().is_none());
        assert!(story_of(&store, "post:x:24").await.seen_once);
        // A post that names a post shares its link; the same front page is not a link between posts.
        let t = topic("rust");
        let say = |n: u32, text: &str| post(n, Source::Social, "cy", None, text);
        let more = vec![
            say(31, "see https://twitter.com/author24/status/24?s=20 for more"),
            say(32, "from https://news.example/ as always"),
            say(33, "from https://news.example as ever before"),
        ];
        store_run(&store, &t, "C9", covering(minutes(600), more)).await;
        let before = story_of(&store, "post:x:24").await;
        assert!(before.uncompared && before.unindexed == 3 && !before.first_is_sure, "{before:?}");
        let reported = story_chart::summary(&before, &|at| at.to_string()).join(" ");
        assert!(reported.contains("is not fully known.") && !reported.contains("No other item"), "{reported}");
        run_followers(&store).await;
        assert_eq!(keys("post:x:24").await, ["post:x:24", "post:x:31"], "{}", database.name);
        assert_eq!(keys("post:x:31").await, ["post:x:24", "post:x:31"], "{}", database.name);
        assert_eq!(keys("post:x:32").await, ["post:x:32"], "{}", database.name);
        database.close(store).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_item_is_certain_only_if_its_time_and_the_day_before_are_covered() {
    for database in databases() {
        let store = open_store(&database).await;
        let (t, other) = (topic("acme"), topic("globex"));
        store.sync_topics(&[t.clone(), other.clone()], minutes(-3 * 1_440)).await.unwrap();
        let copy = |n: u32, published: i64| post(n, Source::Social, &format!("a{n}"), Some(published), STORM);
        store_run(&store, &t, "A0", covering(minutes(-1_430), vec![])).await;
        store_run(&store, &t, "A1", covering(minutes(10), vec![copy(1, 0)])).await;
        store_run(&store, &t, "A2", covering(minutes(100), vec![copy(2, 90)])).await;
        run_followers(&store).await;
        let reported = story_of(&store, "post:x:2").await;
        assert!(
            reported.first_is_sure && reported.caveats.holes.is_empty(),
            "{}: {:?}",
            database.name,
            reported.caveats
        );
        assert_eq!((reported.caveats.checked.from, reported.caveats.checked.until), (minutes(-1_440), minutes(90)));
        let told_by = |reported: &Story| {
            let when = |at: Time| at.to_string();
            let heads: Vec<String> = story_chart::caveats(reported, &when).into_iter().map(|(head, _)| head).collect();
            (story_chart::first_entries(reported).iter().map(|(what, _)| *what).collect::<Vec<_>>(), heads)
        };
        let all = format!(
            "The searches of its topics that look back over time covered all of {} to {}.",
            minutes(-1_440),
            minutes(90)
        );
        assert_eq!(told_by(&reported), (vec!["First", "First seen"], vec![all]));
        // The next search looks back too short a time: in the hole others may have posted it.
        let mut short = covering(minutes(1_600), vec![copy(3, 1_590)]);
        let span = topicwatch::model::Span::new(minutes(1_500), minutes(1_600));
        (short.searches[0].requested_span, short.searches[0].covered) = (span, span);
        store_run(&store, &t, "A3", short).await;
        run_followers(&store).await;
        let reported = story_of(&store, "post:x:2").await;
        let holes: Vec<_> = reported
            .caveats
            .holes
            .iter()
            .map(|hole| (hole.topic.as_str(), hole.source, hole.span.from, hole.span.until))
            .collect();
        assert_eq!(holes, [("acme", Source::Social, minutes(100), minutes(1_500))], "{}", database.name);
        assert!(reported.first_is_sure, "items hidden by a later hole came later");
        assert_eq!(told_by(&reported), (vec!["First", "First seen"], vec!["Later ones may be missing:".to_owned()]));
        let mut more = reported.clone();
        for (beyond, expected) in [(1, "1 more such gap."), (2, "2 more such gaps.")] {
            more.caveats.holes_beyond = beyond;
            let sections = story_chart::caveats(&more, &|at| at.to_string());
            assert_eq!(sections[0].1.last().map(String::as_str), Some(expected));
        }
        // Another copy may exist in the day before the first, because only the last search covered any of it.
        store.add_topics(&[topic("gap")], minutes(-3 * 1_440)).await.unwrap();
        let gap = topic("gap");
        let own = "Another text altogether that nobody has said before this day in spring";
        let alone = post(50, Source::Social, "a50", Some(1_580), own);
        let mut narrow = covering(minutes(1_600), vec![alone]);
        (narrow.searches[0].requested_span, narrow.searches[0].covered) = (span, span);
        store_run(&store, &gap, "G1", narrow).await;
        run_followers(&store).await;
        let reported = story_of(&store, "post:x:50").await;
        let holes: Vec<_> = reported.caveats.holes.iter().map(|hole| (hole.span.from, hole.span.until)).collect();
        assert_eq!((holes, reported.first_is_sure), (vec![(minutes(140), minutes(1_500))], false), "{}", database.name);
        let missing = vec!["Earlier ones may be missing:".to_owned()];
        assert_eq!(told_by(&reported), (vec!["First seen", "Earliest published"], missing));
        // A topic that was watched later than the first one, and looked back only a day.
        let late = topic("late");
        store.sync_topics(&[t.clone(), other, late.clone()], minutes(2_000)).await.unwrap();
        store_run(&store, &late, "L1", covering(minutes(2_010), vec![copy(4, 2_005)])).await;
        run_followers(&store).await;
        let reported = story_of(&store, "post:x:1").await;
        let since: Vec<_> = reported.caveats.watched_later.iter().map(|one| (one.topic.as_str(), one.since)).collect();
        assert_eq!(since, [("late", minutes(2_000))], "{}", database.name);
        database.close(store).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_found_only_by_a_web_snapshot_is_never_called_the_first() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("acme");
        store.sync_topics(std::slice::from_ref(&t), minutes(-3 * 1_440)).await.unwrap();
        let copy = |n: u32, source, published: i64| post(n, source, &format!("a{n}"), Some(published), STORM);
        store_run(&store, &t, "A0", covering(minutes(-1_430), vec![])).await;
        store_run(&store, &t, "A1", covering(minutes(10), vec![copy(1, Source::Web, 0)])).await;
        store_run(&store, &t, "A2", covering(minutes(100), vec![copy(2, Source::Social, 90)])).await;
        run_followers(&store).await;
        let reported = story_of(&store, "post:x:2").await;
        assert!(
            reported.caveats.is_certain_at(reported.from) && reported.caveats.moments_only.is_empty(),
            "{reported:?}"
        );
        assert!(reported.first_by_snapshot && !reported.first_is_sure, "{}: {reported:?}", database.name);
        let what: Vec<_> =
            story_chart::first_entries(&reported).iter().map(|(what, entry)| (*what, &*entry.key)).collect();
        assert_eq!(what, [("First seen", "post:x:1"), ("Earliest published", "post:x:1")]);
        let why = "No search that looks back over time is known to have found the earliest item.".to_owned();
        let when = |at: Time| at.to_string();
        assert_eq!(story_chart::caveats(&reported, &when), [("Earlier ones may be missing:".to_owned(), vec![why])]);
        // The social search finds it, too.
        store_run(&store, &t, "A3", covering(minutes(110), vec![copy(1, Source::Social, 0)])).await;
        run_followers(&store).await;
        let reported = story_of(&store, "post:x:2").await;
        assert!(!reported.first_by_snapshot && reported.first_is_sure, "{}: {reported:?}", database.name);
        database.close(store).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_story_over_its_item_limit_says_so_and_shows_those_seen_first() {
    for database in databases() {
        let store = open_store(&database).await;
        let t = topic("acme");
        store.sync_topics(std::slice::from_ref(&t), minutes(-2_000)).await.unwrap();
        for run in 0..4_u32 {
            let copies = (0..150).map(|n| post(run * 150 + n + 1, Source::Social, "ann", Some(0), STORM)).collect();
            store_run(&store, &t, &format!("A{run}"), covering(minutes(i64::from(run) + 1), copies)).await;
        }
        run_followers(&store).await;
        let reported = story_of(&store, "post:x:1").await;
        assert_eq!(
            (reported.items, reported.complete, reported.first_is_sure),
            (500, false, false),
            "{}",
            database.name
        );
        assert_eq!(reported.timeline.iter().map(|entry| entry.first_seen).max(), Some(minutes(4)));
        assert_eq!(
            reported.timeline.iter().filter(|entry| entry.first_seen == minutes(4)).count(),
            50,
            "those seen first"
        );
        database.close(store).await;
    }
}
