//! News terms and themes, through the binary on both databases: a stream with known ground truth, and separate SQL for
//! each number. `terms_found` measures the precision on real posts.

use std::ops::Range;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use serde_json::Value;
use topicwatch::model::Time;

use crate::support::access_stage::{Visitor, add_token};
use crate::support::databases::{Database, block_on, databases, sqlite};
use crate::support::logged_sql::rows_returned;
use crate::support::number_links::{Link, follow_link, number_links};
use crate::support::program::Place;
use crate::support::replies::{ReplyServer, reply};
use crate::support::truth::{TruePost, TruthService};
use crate::support::web_client::Pages;
use crate::support::world::{ScriptedService, hour, run_once};

const DAY: i64 = 86_400_000;
/// 2026-03-02T00:00:00Z.
const BEGIN: i64 = 1_772_409_600_000;
const DAYS: i64 = 14;
/// The day of the event.
const EVENT: i64 = 12;
/// Days that end with a run. Each finds the posts of the week before it, so that few make the whole history, beginning
/// with the first day; the event is found on its evening.
const LOOKS: [i64; 4] = [1, 7, EVENT + 1, DAYS];
const TOPIC: &str = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"social\"]\nwindow = \"PAST_7_DAYS\"\n";

/// The same topic, asked for the day before each run.
fn daily() -> String {
    TOPIC.replace("PAST_7_DAYS", "PAST_24_HOURS")
}

/// Forty posts a day with random words, two of them with `harbor`. On the day of the event, 12 more are about a
/// collapsed bridge, 9 are copies of one text, one author writes 15 posts about a cuckoo, and 10 are about the harbor.
fn stream() -> Vec<TruePost> {
    stream_of(DAYS)
}

/// The same for more days. On each further one, 18 more posts are about the bridge, and 23 about the harbor.
fn stream_of(days: i64) -> Vec<TruePost> {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let syllables = ["ka", "lo", "mi", "ru", "ve", "so", "ta", "ne", "pu", "di"];
    let mut word = move || {
        let part = |n: u64| syllables[usize::try_from(n % 10).unwrap()];
        let n = random.next_u64();
        format!("{}{}{}", part(n), part(n >> 8), ["n", "r", "s"][usize::try_from((n >> 16) % 3).unwrap()])
    };
    let mut posts: Vec<TruePost> = Vec::new();
    let mut push = |day: i64, author: u64, text: String| {
        let many = posts.len() as u64;
        // The service derives the author from the id modulo 23.
        let id = (many + 1) * 23 + author % 23;
        let at = Time(BEGIN + day * DAY + i64::try_from(many % 80_000).unwrap() * 1_000 + 60_000);
        posts.push(TruePost { query: "acme".to_owned(), id, text, published: at, indexed: at, deleted: None });
    };
    for day in 0..days {
        for n in 0..40_u64 {
            let extra = if n < 2 { "harbor".to_owned() } else { word() };
            push(day, n, format!("acme {} {extra} {} {} {}", word(), word(), word(), word()));
        }
        if day >= DAYS {
            for n in 0..18 {
                push(day, n, format!("{} {} bridge collapse {} acme {}", word(), word(), word(), word()));
            }
            for n in 0..23 {
                push(day, n, format!("{} harbor {} acme {} {}", word(), word(), word(), word()));
            }
        }
        if day != EVENT {
            continue;
        }
        for n in 0..12 {
            push(day, n, format!("{} {} bridge collapse {} acme {}", word(), word(), word(), word()));
        }
        for n in 0..9 {
            push(day, n, "acme giveaway for everybody who follows this account until the end of the week".to_owned());
        }
        for _ in 0..15 {
            push(day, 3, format!("acme {} cuckoo {} {} {}", word(), word(), word(), word()));
        }
        for n in 5..15 {
            push(day, n, format!("{} harbor {} acme {} {}", word(), word(), word(), word()));
        }
    }
    posts
}

fn at(day: i64) -> String {
    Time(BEGIN + day * DAY).to_string()
}

/// Runs all topics at the midnight that ends this many days.
fn run_topics(place: &Place, truth: &TruthService, day: i64) {
    truth.set(|world| world.now = Time(BEGIN + day * DAY));
    place.ok(&["once", "--at", &at(day)]);
}

/// A database with the history of a stream.
fn place_with_stream(database: Database, posts: Vec<TruePost>, topics: &str) -> (Place, TruthService) {
    let truth = TruthService::new(posts);
    let place = Place::new(database, &truth.lines(), topics);
    LOOKS.iter().for_each(|day| run_topics(&place, &truth, *day));
    (place, truth)
}

/// The terms of the event day.
fn terms_json(place: &Place, id: &str) -> Value {
    place.json(&["terms", id, "--since", &at(EVENT), "--until", &at(EVENT + 1), "--at", &at(DAYS), "--json"])
}

/// The stored term counts of the topic's runs, and what is read from them.
fn of_topic(place: &Place, id: &str) -> Vec<String> {
    let now = at(DAYS);
    let mut status = place.json(&["status", "--json", "--at", &now]);
    status["disk"] = Value::Null;
    place.ok(&[
        "report",
        "--topic",
        id,
        "--date",
        at(EVENT).split('T').next().unwrap(),
        "--at",
        &now,
        "--out",
        "day.md",
    ]);
    let mut all = vec![
        terms_json(place, id).to_string(),
        status.to_string(),
        std::fs::read_to_string(place.path("day.md")).unwrap(),
        place.ok(&["diff", id, "--json", "--at", &now]),
        place.ok(&["coverage", id, "--json", "--at", &now]),
        place.ok(&["runs", "--topic", id, "--json"]),
    ];
    for what in ["items", "daily", "new", "changes"] {
        all.push(place.ok(&["export", "--what", what, "--topic", id]));
    }
    for (table, row) in [
        ("topic_latest", "source || ' ' || answered_at || ' ' || coalesce(new_at, 0)"),
        ("topic_day", "day_from || ' ' || items || ' ' || unique_items"),
        ("topic_term", "day_from || ' ' || items || ' ' || length(counts)"),
    ] {
        all.extend(place.database.texts(&format!("SELECT topic || ' ' || {row} FROM {table} ORDER BY 1")));
    }
    all
}

#[test]
fn a_renamed_topic_keeps_its_terms_counts_reports_and_status() {
    for database in databases() {
        let (place, truth) = place_with_stream(database, stream(), TOPIC);
        let name = place.database.name;
        let before = of_topic(&place, "acme");
        assert!(before[0].contains("bridge collapse") && before.len() > 30, "{name}: {before:#?}");
        // No text contains the new id.
        let as_before = |id: &str| {
            let all = of_topic(&place, id).into_iter().map(|text| text.replace(id, "acme"));
            for (n, (before, after)) in before.iter().zip(all).enumerate() {
                assert_eq!(*before, after, "{name}: {n}, as {id}");
            }
        };
        for (old, new) in [("acme", "emca"), ("emca", "acme")] {
            place.ok(&["topic", "rename", old, new]);
            place.configure(&truth.lines(), &TOPIC.replace("id = \"acme\"", &format!("id = \"{new}\"")));
            as_before(new);
        }
    }
}

fn row<'a>(reported: &'a Value, list: &str, name: &str, of: &str) -> &'a Value {
    let rows = reported[list].as_array().unwrap();
    rows.iter()
        .find(|row| row[name].as_str().is_some_and(|one| one.contains(of)))
        .unwrap_or_else(|| panic!("{of}: {reported:#}"))
}

/// Counts the items, authors and texts of a topic's days that contain a word, with SQL.
fn counted_of(database: &Database, topic: &str, days: Range<i64>, word: &str) -> [i64; 3] {
    let of = |what: &str| {
        database.number(&format!(
            "SELECT count({what}) FROM v_item WHERE topic = '{topic}' AND ' ' || text || ' ' LIKE '% {word} %' \
             AND published_at >= '{}' AND published_at < '{}'",
            Time(BEGIN + days.start * DAY).iso_millis(),
            Time(BEGIN + days.end * DAY).iso_millis()
        ))
    };
    [of("*"), of("DISTINCT author"), of("DISTINCT coalesce(cluster, key)")]
}

/// The same for one day of the topic of the stream.
fn counted(database: &Database, day: i64, word: &str) -> [i64; 3] {
    counted_of(database, "acme", day..day + 1, word)
}

/// On each of a topic's days, the smaller of authors and texts: of a word, and of all items.
fn daily_counts(database: &Database, topic: &str, days: Range<i64>, word: &str) -> Vec<[i64; 2]> {
    let said = |day: i64, word: &str| {
        let [_, authors, texts] = counted_of(database, topic, day..day + 1, word);
        authors.min(texts)
    };
    // Each post contains the query, which is the topic's id.
    days.map(|day| [said(day, word), said(day, topic)]).collect()
}

/// Follows the numbers of terms and themes on a topic's page. Returns how many there are.
fn assert_term_links(page: &str, get: &dyn Fn(&str) -> String) -> usize {
    let links = number_links(page).into_iter();
    let links: Vec<Link> =
        links.filter(|link| ["?term=", "?theme="].iter().any(|of| link.address.contains(of))).collect();
    for link in &links {
        let listed = follow_link(get, &link.address);
        assert_eq!((listed.said, listed.rows), (link.number(), link.number()), "{link:?}: {listed:?}");
    }
    links.len()
}

/// Checks the numbers of a term of the topic of the stream with SQL.
fn assert_term(database: &Database, reported: &Value, days: Range<i64>, term: &str, word: &str) {
    // The days since the first run, which was at the end of the first day.
    let before = daily_counts(database, "acme", 1..days.start, word);
    assert_term_compared(database, row(reported, "terms", "term", term), ("acme", days), word, &before);
}

/// Checks the numbers of a term of a topic's days with SQL. `before` is what it is compared with.
fn assert_term_compared(
    database: &Database,
    row: &Value,
    (topic, days): (&str, Range<i64>),
    word: &str,
    before: &[[i64; 2]],
) {
    let [items, authors, _] = counted_of(database, topic, days.clone(), word);
    assert_eq!([&row["items"], &row["authors"]], [items, authors], "{row}");
    let sums = |days: &[[i64; 2]]| days.iter().fold([0, 0], |sum, day| [sum[0] + day[0], sum[1] + day[1]]);
    let [now, of_now] = sums(&daily_counts(database, topic, days.clone(), word));
    let [past, of_past] = sums(before);
    assert_eq!([&row["texts"], &row["texts_before"]], [now, past], "{row}");
    let expected = past as f64 * of_now as f64 / of_past as f64;
    assert!((row["expected"].as_f64().unwrap() - expected).abs() < 1e-9, "{expected}: {row}");
    let before: Vec<[f64; 2]> = before.iter().map(|day| day.map(|count| count as f64)).collect();
    let z = z_of(now as f64, of_now as f64, &before);
    assert!((row["z"].as_f64().unwrap() - z).abs() < 1e-6, "{z}: {row}");
    assert_negative(database, row, topic, &days, word);
    assert_eq!(row["example"]["key"], most_liked(database, topic, &days, word), "{row}");
}

/// The z that docs/explanation/terms.md describes: the log-odds ratio with a prior of at most 500 texts, by its standard
/// error and the scatter of the days.
fn z_of(now: f64, of_now: f64, days: &[[f64; 2]]) -> f64 {
    let sum = |of: usize| days.iter().map(|day| day[of]).sum::<f64>();
    let (before, of_before) = (sum(0), sum(1));
    let worth = of_before.min(500.0);
    let prior = worth * (now + before) / (of_now + of_before);
    let odds = |count: f64, of: f64| ((count + prior) / (of + worth - count - prior)).ln();
    let error = (1.0 / (now + prior) + 1.0 / (before + prior)).sqrt();
    let off = |day: &[f64; 2]| {
        let expected = before * day[1] / of_before;
        (day[0] - expected).powi(2) / expected.max(0.5)
    };
    let chance = if before == 0.0 { 0.0 } else { days.iter().map(off).sum::<f64>() };
    let scatter = if before == 0.0 { 1.0 } else { ((chance + 5.0) / (days.len() as f64 - 1.0 + 5.0)).max(1.0) };
    (odds(now, of_now) - odds(before, of_before)) / error / scatter.sqrt()
}

fn of_days(topic: &str, days: &Range<i64>, word: &str) -> String {
    let [from, until] = [days.start, days.end].map(|day| Time(BEGIN + day * DAY).iso_millis());
    format!(
        "FROM v_item WHERE topic = '{topic}' AND text LIKE '%{word}%' AND published_at >= '{from}' AND published_at < '{until}'"
    )
}

/// Checks the negative share of the days' items with a word: part, whole, share and the ends of Wilson's interval.
fn assert_negative(database: &Database, row: &Value, topic: &str, days: &Range<i64>, word: &str) {
    let count =
        |tone: &str| database.number(&format!("SELECT count(*) {} AND tone LIKE '{tone}'", of_days(topic, days, word)));
    let (part, whole) = (count("negative"), count("%"));
    let (p, n, z) = (part as f64 / whole as f64, whole as f64, 1.959_963_984_540_054_f64);
    let (middle, half) = (p + z * z / (2.0 * n), z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt());
    let [low, high] = [middle - half, middle + half].map(|end| end / (1.0 + z * z / n));
    let reported = &row["negative"];
    assert_eq!((&reported["part"], &reported["whole"]), (&part.into(), &whole.into()), "{row}");
    for (name, expected) in [("share", p), ("low", low), ("high", high)] {
        assert!((reported[name].as_f64().unwrap() - expected).abs() < 1e-9, "{name} {expected}: {row}");
    }
}

/// The days' item with a word that most people like; the earliest of several.
fn most_liked(database: &Database, topic: &str, days: &Range<i64>, word: &str) -> String {
    let sql = format!("SELECT key {} ORDER BY likes DESC, published_at, key LIMIT 1", of_days(topic, days, word));
    database.texts(&sql)[0].clone()
}

/// Gives each item likes and a tone.
fn give_likes_and_tones(database: &Database) {
    database.set_tones();
    block_on(database.execute("UPDATE item SET likes = (id * 37) % 11"));
}

/// `33% (14–61%)`, of a share that is held by SQL.
fn share_words(share: &Value) -> String {
    let percent = |of: &str| share[of].as_f64().unwrap() * 100.0;
    format!("{:.0}% ({:.0}–{:.0}%)", percent("share"), percent("low"), percent("high"))
}

/// An item as a list of the Markdown shows it.
fn item_words(sample: &Value) -> String {
    let of = |field: &str| sample[field].as_str().unwrap_or_else(|| panic!("no {field}: {sample}"));
    format!("&#64;{}: [{}](<{}>)", of("author"), of("words"), of("link"))
}

/// The line of a term in the Markdown.
fn term_line(term: &Value) -> String {
    let number = |of: &str| term[of].as_f64().unwrap();
    assert!(number("items") > 1.0 && number("authors") > 1.0 && number("expected") < 10.0, "{term}");
    format!(
        "- **{}**: {} items by {} authors; {} with each text and author counted once a day, {:.1} expected from {} before, z {:.1}, negative {} · {}",
        term["term"].as_str().unwrap(),
        term["items"],
        term["authors"],
        term["texts"],
        number("expected"),
        term["texts_before"],
        number("z"),
        share_words(&term["negative"]),
        item_words(&term["example"])
    )
}

/// The line of a theme of posts in the Markdown, of a report in UTC.
fn theme_line(theme: &Value) -> String {
    let before = match theme["items_before"].as_i64().unwrap() {
        0 => "none".to_owned(),
        many => many.to_string(),
    };
    let first = theme["first_at"].as_str().unwrap();
    format!(
        "- **{}**: {} items, {} unique, {} authors, {before} in the period before, negative {}; first in the period {} {} by @{} · {}",
        theme["name"].as_str().unwrap(),
        theme["items"],
        theme["unique"],
        theme["authors"],
        share_words(&theme["negative"]),
        &first[5..10],
        &first[11..16],
        theme["first_by"].as_str().unwrap(),
        item_words(&theme["post"])
    )
}

#[test]
fn words_of_many_authors_are_news_terms_but_not_of_one_text_or_author() {
    for database in databases() {
        let (place, truth) = place_with_stream(database, stream(), TOPIC);
        let database = &place.database;
        give_likes_and_tones(database);
        let day = EVENT..EVENT + 1;
        let before = terms_json(&place, "acme");
        assert_eq!(before["no_terms"], Value::Null, "{before:#}");
        let names: Vec<&str> =
            before["terms"].as_array().unwrap().iter().map(|row| row["term"].as_str().unwrap()).collect();
        assert_eq!(names, ["bridge collapse", "harbor"], "{}: {before:#}", database.name);
        assert_term(database, &before, day.clone(), "bridge collapse", "bridge collapse");
        assert_term(database, &before, day.clone(), "harbor", "harbor");
        // Themes: each item is in one theme or among the others.
        let (bridge, harbor) = (row(&before, "themes", "name", "bridge"), row(&before, "themes", "name", "harbor"));
        for (theme, word) in [(bridge, "bridge"), (harbor, "harbor")] {
            let [items, authors, texts] = counted(database, EVENT, word);
            assert_eq!([&theme["items"], &theme["authors"], &theme["unique"]], [items, authors, texts], "{theme}");
            assert_eq!(theme["items_before"], counted(database, EVENT - 1, word)[0], "{theme}");
            let first = database.texts(&format!(
                "SELECT key FROM v_item WHERE text LIKE '%{word}%' AND published_at >= '{}' ORDER BY published_at, key LIMIT 1",
                Time(BEGIN + EVENT * DAY).iso_millis()
            ));
            assert_eq!(theme["first_key"], *first[0], "{theme}");
            let by = database.texts(&format!("SELECT author FROM v_item WHERE key = '{}'", first[0]));
            let at = database.time(&format!("SELECT published_at FROM v_item WHERE key = '{}'", first[0]));
            assert_eq!((&theme["first_by"], &theme["first_at"]), (&by[0].clone().into(), &serde_json::json!(Time(at))));
            assert_negative(database, theme, "acme", &day, word);
            assert_eq!((&theme["post"]["kind"], &theme["page"]), (&"post".into(), &Value::Null));
            assert_eq!(theme["post"]["key"], most_liked(database, "acme", &day, word), "{theme}");
        }
        assert_eq!([&before["more"], &before["more_themes"], &before["more_items"]], [0, 0, 0]);
        let all = counted(database, EVENT, "acme")[0];
        let themed = bridge["items"].as_i64().unwrap() + harbor["items"].as_i64().unwrap();
        assert_eq!(before["other_items"], all - themed);
        // The same in an export, the report, the API and the dashboard.
        let (since, until) = (at(EVENT), at(EVENT + 1));
        let span = ["--topic", "acme", "--since", &since, "--until", &until, "--format", "jsonl"];
        let lines = place.ok(&[&["export", "--what", "terms"][..], &span].concat());
        let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(rows.len(), names.len(), "{lines}");
        for (row, output) in rows.iter().zip(before["terms"].as_array().unwrap()) {
            for figure in ["term", "kind", "items", "authors", "texts", "texts_before"] {
                assert_eq!(row[figure], output[figure], "{figure}: {row}");
            }
            assert_eq!((&row["before_days"], &row["example"]), (&before["before_days"], &output["example"]["key"]));
            let share = &output["negative"];
            assert_eq!((&row["scored"], &row["negative"]), (&share["whole"], &share["part"]), "{row}");
            for figure in ["z", "expected"] {
                let rounded = (output[figure].as_f64().unwrap() * 100.0).round() / 100.0;
                assert!((row[figure].as_f64().unwrap() - rounded).abs() < 1e-9, "{figure} {rounded}: {row}");
            }
        }
        for file in ["day.md", "day.html"] {
            let date = Time(BEGIN + EVENT * DAY).utc_date();
            place.ok(&["report", "--date", &date, "--at", &at(DAYS), "--out", file]);
            let text = std::fs::read_to_string(place.path(file)).unwrap();
            let happened = "used more often than expected: “bridge collapse” ";
            for part in [happened, "Terms that are news", "bridge collapse", "Themes", "harbor"] {
                assert!(text.contains(part), "{file}: {part}\n{text}");
            }
            if file.ends_with("md") {
                let of = |list: &str, line: fn(&Value) -> String| -> Vec<String> {
                    before[list].as_array().unwrap().iter().map(line).collect()
                };
                let rest = format!("{} items in no theme.", before["other_items"]);
                let lines = format!(
                    "### Terms that are news\n\n{}\n\n### Themes\n\n{}\n\n{rest}\n",
                    of("terms", term_line).join("\n"),
                    of("themes", theme_line).join("\n")
                );
                assert!(text.contains(&lines), "{lines}\n{text}");
            }
            assert!(!text.contains("cuckoo</bdi>") && !text.contains("**cuckoo**"), "{file}");
        }
        let pages = Pages::serve(&place, &["--at", &at(EVENT + 1)]);
        let api: Value = serde_json::from_str(&pages.get("/api/v1/topics/acme/terms").body).unwrap();
        // Later copies are not known at that time; this day has none.
        for of in ["terms", "themes", "other_items"] {
            assert_eq!(api["data"][of], before[of], "{of}: {api:#}");
        }
        let page = pages.page("/topics/acme");
        assert!(page.contains("Terms that are news") && page.contains("<bdi>bridge collapse</bdi>"), "{page}");
        // On a phone each row is a card, whose figures have names. No two landmarks have the same.
        let terms = page.split("aria-labelledby=\"terms\"").nth(1).unwrap().split("</section>").next().unwrap();
        assert!(
            terms.matches("<td").count() > 12 && !terms.contains("<td>") && !terms.contains("<td class=\"n\">"),
            "{terms}"
        );
        assert!(!terms.contains("aria-label=\"Terms that are news\""), "{terms}");
        // The numbers of terms and themes lead to their items.
        let rows = before["terms"].as_array().unwrap().len() + before["themes"].as_array().unwrap().len();
        assert!(rows > 2 && assert_term_links(&page, &|path| pages.page(path)) == rows, "{page}");
        drop(pages);
        // A week, in which an author counts once a day, not once in all.
        truth.set(|world| world.posts = stream_of(DAYS + 2));
        run_topics(&place, &truth, DAYS + 2);
        give_likes_and_tones(database);
        let week = DAYS - 5..DAYS + 2;
        assert_eq!(week.end - week.start, 7);
        let span = ["--since", &at(week.start), "--until", &at(week.end), "--at", &at(week.end), "--json"];
        let output = place.json(&[&["terms", "acme"], &span[..]].concat());
        for word in ["bridge collapse", "harbor"] {
            assert_term(database, &output, week.clone(), word, word);
            let [_, authors, texts] = counted_of(database, "acme", week.clone(), word);
            assert!(row(&output, "terms", "term", word)["texts"].as_i64().unwrap() > authors.min(texts), "{output:#}");
        }
    }
}

#[test]
fn texts_earlier_on_the_first_day_of_a_period_count_as_before() {
    let count = |database: &Database, span: Range<i64>| {
        let of = |what: &str| {
            let sql = format!(
                "SELECT count(DISTINCT {what}) FROM v_item WHERE text LIKE '%bridge%' AND published_at >= '{}' AND published_at < '{}'",
                Time(span.start).iso_millis(),
                Time(span.end).iso_millis()
            );
            database.number(&sql)
        };
        of("author").min(of("coalesce(cluster, key)"))
    };
    for database in databases() {
        let (place, _truth) = place_with_stream(database, stream(), TOPIC);
        // Within the twelve posts about the bridge.
        let midnight = BEGIN + EVENT * DAY;
        let since = midnight + 586_000;
        let until = BEGIN + (EVENT + 1) * DAY;
        let args = ["terms", "acme", "--since", &Time(since).to_string(), "--until", &at(EVENT + 1), "--json"];
        let output = place.json(&[&args[..], &["--at", &at(DAYS)]].concat());
        let [before, now] = [midnight..since, since..until].map(|span| count(&place.database, span));
        assert!(before > 3 && now > 3, "{before} {now}");
        for row in output["terms"].as_array().unwrap() {
            let is_bridge = row["term"].as_str().is_some_and(|term| term.contains("bridge"));
            assert!(!is_bridge || row["texts_before"] == before, "{before}: {row}");
        }
    }
}

/// How many texts the report of the event day reads.
fn texts_read(place: &Place) -> i64 {
    let (date, now) = (Time(BEGIN + EVENT * DAY).utc_date(), at(DAYS));
    let args = ["report", "--date", &date, "--at", &now, "--out", "day.md", "--log-format", "json"];
    let ended = place.program(&args).env("RUST_LOG", "sqlx::query=debug").run();
    assert_eq!(ended.code, Some(0), "{ended}");
    let read = rows_returned(&ended.err, "SELECT i.key, i.url, i.author, i.title, i.text,");
    assert!(read > 0, "{ended}");
    i64::try_from(read).unwrap()
}

#[test]
fn counts_are_kept_by_day_verified_and_forgotten_with_their_items() {
    for database in databases() {
        let (place, truth) = place_with_stream(database, stream(), TOPIC);
        let database = &place.database;
        let kept = || database.number("SELECT count(*) FROM topic_term WHERE items > 0");
        assert_eq!(kept(), DAYS, "each day that has ended and on which something was found");
        let first = terms_json(&place, "acme");
        // A report reads the texts of the period at most three times, those of the day before once, for its themes, and
        // the few that it shows.
        let with_counts = texts_read(&place);
        let [of_day, of_day_before] = [EVENT, EVENT - 1].map(|day| counted(database, day, "acme")[0]);
        assert!(with_counts <= 3 * of_day + of_day_before + 10, "{}: {with_counts} texts", database.name);
        // Without stored counts the days are counted from their texts, with the same result.
        let rows = "SELECT CAST(day_from AS TEXT) || ' ' || CAST(items AS TEXT) FROM topic_term WHERE items > 0 ORDER BY day_from";
        let were = database.texts(rows);
        database.forget_term_counts();
        assert_eq!(terms_json(&place, "acme"), first, "{}", database.name);
        let before: i64 = (1..EVENT).map(|day| counted(database, day, "acme")[0]).sum();
        assert_eq!(texts_read(&place), with_counts + before, "{}", database.name);
        // The next run that finds something stores the counts again.
        truth.set(|world| {
            world.now = Time(BEGIN + (DAYS + 1) * DAY);
            let at = Time(BEGIN + DAYS * DAY + 1_000);
            world.posts.push(TruePost {
                query: "acme".into(),
                id: 999_999,
                text: "acme again".into(),
                published: at,
                indexed: at,
                deleted: None,
            });
        });
        place.ok(&["once", "--at", &at(DAYS + 1)]);
        let are = database.texts(rows);
        assert!(were.iter().all(|row| are.contains(row)), "{were:?} {are:?}");
        // Stored counts are used: if every day had the event's counts, nothing would be news.
        let of_event = format!("SELECT e.counts FROM topic_term e WHERE e.day_from = {}", BEGIN + EVENT * DAY);
        block_on(database.execute(&format!("UPDATE topic_term SET counts = ({of_event}) WHERE items > 0")));
        assert_eq!(terms_json(&place, "acme")["terms"], serde_json::json!([]), "{}", database.name);
        database.forget_term_counts();
        truth.set(|world| {
            world.now = Time(BEGIN + (DAYS + 2) * DAY);
            let at = Time(BEGIN + (DAYS + 1) * DAY + 1_000);
            let text = "acme and again".to_owned();
            world.posts.push(TruePost {
                query: "acme".into(),
                id: 999_998,
                text,
                published: at,
                indexed: at,
                deleted: None,
            });
        });
        place.ok(&["once", "--at", &at(DAYS + 2)]);
        // Counts of another version or of other items are ignored.
        let before = terms_json(&place, "acme");
        block_on(database.execute("UPDATE topic_term SET items = items + 0, counts = basis"));
        assert_eq!(terms_json(&place, "acme")["terms"], before["terms"], "{}", database.name);
        // Forgetting an item deletes the counts of its day at once.
        let day = BEGIN + 5 * DAY;
        let of_day = format!("SELECT count(*) FROM topic_term WHERE day_from = {day}");
        assert_eq!(database.number(&of_day), 1);
        let key = database.texts(&format!(
            "SELECT key FROM v_item WHERE text LIKE '%harbor%' AND published_at >= '{}' ORDER BY published_at LIMIT 1",
            Time(day).iso_millis()
        ));
        place.ok(&["forget", "--item", &key[0], "--yes"]);
        assert_eq!(database.number(&of_day), 0, "{}", database.name);
        assert_term(database, &terms_json(&place, "acme"), EVENT..EVENT + 1, "harbor", "harbor");
        // Filtered items are not counted either.
        place.configure(&truth.lines(), &format!("{TOPIC}exclude = [\"harbor\"]\n"));
        let filtered = terms_json(&place, "acme");
        assert!(!filtered.to_string().contains("harbor"), "{filtered:#}");
        assert_bridge(&filtered);
        // Pruning items deletes the counts of their days, too, and no others.
        let days = |from: i64, until: i64| {
            let (from, until) = (BEGIN + from * DAY, BEGIN + until * DAY);
            database.number(&format!("SELECT count(*) FROM topic_term WHERE day_from >= {from} AND day_from < {until}"))
        };
        assert_eq!((days(1, 6), days(9, EVENT)), (4, 3), "{}: the counts of day 5 were forgotten", database.name);
        place.configure(&truth.lines(), &format!("[retention]\nitems = \"30d\"\n{TOPIC}"));
        place.ok(&["db", "prune", "--at", &at(38)]);
        assert_eq!((days(1, 6), days(9, EVENT)), (0, 3), "{}", database.name);
        // Nothing is kept longer than 40 days, even if the topic finds nothing new that would be counted.
        place.configure(&truth.lines(), TOPIC);
        place.ok(&["db", "prune", "--at", &at(60)]);
        assert_eq!(kept(), 0, "{}", database.name);
    }
}

fn assert_bridge(reported: &Value) {
    assert_eq!(row(reported, "terms", "term", "bridge")["items"], 12, "{reported:#}");
}

/// The pages that a search finds at the end of each of eleven days: four a day, by different sites and without a title.
/// On the last day six with a title are new, and the earlier ones are shown again, now with titles.
fn pages_whose_titles_come_late() -> Vec<Vec<u8>> {
    let page = |day: i64, n: i64, titled: bool| {
        let id = day * 10 + n;
        let title = if titled { Value::from(format!("Harbor news {id}")) } else { Value::Null };
        let words: Vec<String> = (0..5).map(|k| format!("w{:x}", id * 7_919 + k * 104_729)).collect();
        serde_json::json!({
            "link": format!("https://site{id}.example/p"),
            "snippet": format!("acme {}", words.join(" ")),
            "title": title,
            "published_date": Time(BEGIN + day * DAY + (n + 1) * 3_600_000).to_string(),
        })
    };
    let day = |day: i64, many: i64, titled: bool| (0..many).map(move |n| page(day, n, titled));
    let mut replies: Vec<Vec<Value>> = (0..10).map(|of| day(of, 4, false).collect()).collect();
    replies.push((0..10).flat_map(|of| day(of, 4, true)).chain(day(10, 6, true)).collect());
    let body = |pages: &Vec<Value>| serde_json::json!({ "results": pages }).to_string();
    replies.iter().map(|pages| reply(200, &[("content-type", "application/json")], &body(pages))).collect()
}

#[test]
fn titles_that_are_filled_in_later_count_on_the_days_of_their_pages() {
    for database in databases() {
        let service = ReplyServer::start(pages_whose_titles_come_late());
        let lines = format!("base_url = \"{}\"\nrate_limit = \"unlimited\"\nmax_tries = 1\n", service.url());
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"web\"]\nweb.limit = 100\n";
        let place = Place::new(database, &lines, topic);
        for day in 1..=11 {
            place.ok(&["once", "--at", &at(day)]);
        }
        let terms =
            || place.json(&["terms", "acme", "--since", &at(10), "--until", &at(11), "--at", &at(EVENT), "--json"]);
        // The words of the titles are in every page of the days before, too.
        let with_counts = terms();
        assert_eq!(with_counts["terms"], serde_json::json!([]), "{}", place.database.name);
        place.database.forget_term_counts();
        assert_eq!(terms(), with_counts, "{}", place.database.name);
    }
}

#[test]
fn a_kill_while_days_are_counted_loses_and_repeats_no_count() {
    for database in databases() {
        let truth = TruthService::new(stream());
        // Each day is found and counted by a run of its own.
        let place = Place::new(database, &truth.lines(), &daily());
        for day in 1..=DAYS {
            truth.set(|world| world.now = Time(BEGIN + day * DAY));
            // Killed before the commit, after it, and not at all.
            let point = ["written", "committed"].get(usize::try_from(day % 3).unwrap());
            if let Some(point) = point {
                let failpoint = format!("kill day_terms::store_terms/{point}");
                let killed =
                    place.program(&["once", "--at", &at(day)]).env("TOPICWATCH_TEST_FAILPOINT", &failpoint).run();
                assert_eq!(killed.code, None, "`{failpoint}` was not met: {killed}");
            } else {
                place.ok(&["once", "--at", &at(day)]);
            }
        }
        // One more day: the next run completes what is missing.
        run_topics(&place, &truth, DAYS + 1);
        let days = place.database.texts("SELECT CAST(day_from AS TEXT) FROM topic_term WHERE items > 0 ORDER BY 1");
        assert_eq!(days.len(), usize::try_from(DAYS).unwrap(), "{}: {days:?}", place.database.name);
        assert_bridge(&terms_json(&place, "acme"));
    }
}

#[test]
fn the_days_of_several_topics_are_stored_in_one_transaction() {
    let topics: String = (0..5).map(|n| daily().replace("\"acme\"\nquery", &format!("\"acme-{n}\"\nquery"))).collect();
    for database in databases() {
        let truth = TruthService::new(stream());
        let place = Place::new(database, &truth.lines(), &topics);
        truth.set(|world| world.now = Time(BEGIN + DAYS * DAY));
        // A second transaction would end the program.
        let second = "kill day_terms::store_terms/committed pass=2";
        let ended = place.program(&["once", "--at", &at(DAYS)]).env("TOPICWATCH_TEST_FAILPOINT", second).run();
        assert_eq!(ended.code, Some(0), "{}: {ended}", place.database.name);
        assert_eq!(place.database.number("SELECT count(DISTINCT topic) FROM topic_term WHERE items > 0"), 5);
    }
}

/// Twenty posts a day for five weeks. `harbor` is in six of them, except in the week before last.
fn five_weeks() -> Vec<TruePost> {
    let mut random = ChaCha8Rng::seed_from_u64(12);
    let mut posts = Vec::new();
    for day in 0..35_i64 {
        for n in 0..20_u64 {
            let id = posts.len() as u64 + 1;
            let word =
                if n < 6 && !(21..28).contains(&day) { "harbor".to_owned() } else { format!("w{:x}", id * 7_919) };
            let text = format!("acme {word} {:x} {:x}", random.next_u64(), random.next_u64());
            let at = Time(BEGIN + day * DAY + i64::try_from(n + 1).unwrap() * 3_600_000);
            posts.push(TruePost { query: "acme".to_owned(), id, text, published: at, indexed: at, deleted: None });
        }
    }
    posts
}

#[test]
fn a_week_is_compared_with_the_four_weeks_before_it() {
    for database in databases() {
        let truth = TruthService::new(five_weeks());
        let filtered = format!("{TOPIC}exclude = [\"harbor w\"]\n");
        let place = Place::new(database, &truth.lines(), &filtered);
        for day in [1, 7, 14, 21, 28, 35] {
            run_topics(&place, &truth, day);
        }
        // With stored counts, and counted again.
        for kept in [true, false] {
            if !kept {
                place.database.forget_term_counts();
            }
            place.ok(&["report", "--week", "2026-W14", "--at", &at(36), "--out", "week.html"]);
            let page = std::fs::read_to_string(place.path("week.html")).unwrap();
            // Compared only with the week before, it would be news.
            assert!(!page.contains("<bdi>harbor</bdi>"), "{}, kept: {kept}: {page}", place.database.name);
            assert!(page.contains("No term is more frequent than expected from the previous 27 days."), "{page}");
        }
    }
}

#[test]
fn pages_without_a_date_that_the_last_run_found_are_in_the_export() {
    for database in databases() {
        let world = ScriptedService::new();
        let topic = "[[topics]]\nid = \"acme\"\nquery = \"acme\"\nsources = [\"web\"]\n";
        let place = Place::new(database, &world.lines(), topic);
        let page = |id: u32, word: &str| serde_json::json!({ "title": format!("acme {word} w{id:x}"), "url": format!("https://s{id}.example/"), "snippet": "x" });
        for day in 0..10 {
            let word = if day == 9 { "recall" } else { "plain" };
            world.set_pages(&(0..8).map(|n| page(day * 100 + n, word)).collect::<Vec<_>>());
            run_once(&place, day * 24 + 12);
        }
        let text = place.ok(&["export", "--what", "terms"]);
        assert!(text.contains(",recall,"), "{}: {text}", place.database.name);
        let long = place.run(&["export", "--what", "terms", "--since", "2026-01-01"]);
        long.assert_stderr(2, &["is more than 32 days before the end"]);
        place.run(&["terms", "acme", "--since", "2026-01-01"]).assert_stderr(2, &["too long before the end"]);
    }
}

#[test]
fn no_terms_without_a_week_of_history_or_after_a_query_change() {
    for database in databases() {
        let (place, truth) = place_with_stream(database, stream(), TOPIC);
        let early = |day: i64| {
            place.json(&["terms", "acme", "--since", &at(day), "--until", &at(day + 1), "--at", &at(DAYS), "--json"])
        };
        for (day, days) in [(1, 0), (7, 6)] {
            let output = early(day);
            assert_eq!(
                (output["no_terms"].as_str(), output["before_days"].as_i64()),
                (Some("history"), Some(days)),
                "{output:#}"
            );
            assert!(output["terms"].as_array().unwrap().is_empty());
        }
        assert_eq!(early(8)["no_terms"], Value::Null);
        for (day, has) in [(1, "none"), (2, "1"), (3, "2")] {
            let text = place.ok(&["terms", "acme", "--since", &at(day), "--until", &at(day + 1), "--at", &at(DAYS)]);
            let needed =
                format!("Cannot compare yet: at least 7 comparable earlier days are needed, this topic has {has}.");
            assert!(text.contains(&needed), "{text}");
        }
        // A calm day has no terms, and the output says so.
        let calm = place.ok(&["terms", "acme", "--since", &at(EVENT - 1), "--until", &at(EVENT), "--at", &at(DAYS)]);
        assert!(calm.contains("No term is more frequent than expected from the previous 10 days."), "{calm}");
        // A period without items: nothing was compared, so its terms are not mentioned.
        let empty = ["--since", &at(DAYS + 1), "--until", &at(DAYS + 2), "--at", &at(DAYS + 2)];
        let text = place.ok(&[&["terms", "acme"], &empty[..]].concat());
        assert!(text.contains("No items in the period.") && !text.contains("more frequent"), "{text}");
        let output = place.json(&[&["terms", "acme", "--json"], &empty[..]].concat());
        assert_eq!(
            (output["no_terms"].as_str(), output["terms"].as_array().map(Vec::len)),
            (Some("no_items"), Some(0))
        );
        // Another query: its days are not compared with those of the first.
        truth.set(|world| world.posts.iter_mut().for_each(|post| post.query = "acme corp".to_owned()));
        place.configure(&truth.lines(), &TOPIC.replace("query = \"acme\"", "query = \"acme corp\""));
        truth.set(|world| world.now = Time(BEGIN + DAYS * DAY + 3_600_000));
        place.ok(&["once", "--at", &Time(BEGIN + DAYS * DAY + 3_600_000).to_string()]);
        let output =
            place.json(&["terms", "acme", "--at", &Time(BEGIN + DAYS * DAY + 7_200_000).to_string(), "--json"]);
        assert_eq!((&output["no_terms"], &output["untold"]), (&"query".into(), &"query".into()), "{output:#}");
        place.run(&["terms", "acm"]).assert_stderr(2, &["acm", "acme"]);
        let wrong = place.run(&["terms", "acme", "--since", &at(5), "--until", &at(5), "--at", &at(DAYS)]);
        wrong.assert_stderr(2, &["--since is not before --until"]);
        let wrong = place.run(&["terms", "acme", "--since", &at(DAYS + 1), "--at", &at(DAYS)]);
        wrong.assert_stderr(2, &["--since is in the future"]);
    }
}

#[test]
fn posts_without_a_query_word_are_counted_even_if_no_term_is_shown() {
    for database in databases() {
        let world = ScriptedService::new();
        let place = Place::new(database, &world.lines(), TOPIC);
        let post = |id: u32| serde_json::json!({ "id": id.to_string(), "text": format!("nothing about it {id}"), "user": "ann", "created_at": hour(20) });
        world.set_posts(&(1..=12).map(post).collect::<Vec<_>>());
        run_once(&place, 24);
        let asked = ["--since", &hour(0), "--until", &hour(24), "--at", &hour(25), "--json"];
        let output = place.json(&[&["terms", "acme"], &asked[..]].concat());
        assert_eq!((&output["no_terms"], &output["items"]), (&"relevance".into(), &12.into()), "{output:#}");
    }
}

/// Twenty posts of a new topic on the day after: 8 about a launch, 10 that contain acme, which the older topic always
/// contains, and all about a harbor, which the older topic sometimes contains.
fn fresh() -> Vec<TruePost> {
    let of = |n: u64| {
        let word = if n < 8 { "launch" } else { "plain" };
        let named = if n >= 10 { "acme" } else { "nobody" };
        let at = Time(BEGIN + DAYS * DAY + i64::try_from(n + 1).unwrap() * 60_000);
        let text = format!("globex q{n} {word}{} r{n} {named} s{n} harbor", if n < 8 { "" } else { "er" });
        TruePost { query: "globex".into(), id: (5_000 + n) * 23 + n, text, published: at, indexed: at, deleted: None }
    };
    (0..20).map(of).collect()
}

#[test]
fn a_topic_without_history_shows_terms_compared_with_other_topics_not_news() {
    for database in databases() {
        let (place, truth) = place_with_stream(database, stream(), TOPIC);
        let database = &place.database;
        place.configure(&truth.lines(), &format!("{TOPIC}{}", TOPIC.replace("acme", "globex")));
        truth.set(|world| {
            world.posts.extend(fresh());
            world.now = Time(BEGIN + (DAYS + 1) * DAY);
        });
        place.ok(&["once", "--at", &at(DAYS + 1)]);
        give_likes_and_tones(database);
        let (since, until) = (at(DAYS), at(DAYS + 1));
        let asked = ["terms", "globex", "--since", &since, "--until", &until, "--at", &until];
        let output = || place.json(&[&asked[..], &["--json"]].concat());
        let beside = output();
        assert_eq!((&beside["no_terms"], &beside["terms"]), (&"history".into(), &serde_json::json!([])), "{beside:#}");
        assert_eq!(beside["stand_out"]["compared_with"], "other_topics", "{}: {beside:#}", database.name);
        let texts: i64 = daily_counts(database, "acme", 0..DAYS, "acme").iter().map(|[_, all]| all).sum();
        assert_eq!(beside["stand_out"]["texts"], texts, "{}: {beside:#}", database.name);
        let rows = beside["stand_out"]["terms"].as_array().unwrap();
        for (word, items) in [("launch", 8), ("harbor", 20)] {
            let others = daily_counts(database, "acme", 0..DAYS, word);
            let output = row(&beside["stand_out"], "terms", "term", word);
            assert_eq!((&output["items"], &output["authors"]), (&items.into(), &items.into()));
            assert_eq!(output["texts_before"] == 0, word == "launch", "{output}");
            assert_term_compared(database, output, ("globex", DAYS..DAYS + 1), word, &others);
        }
        // The other topic always contains it, and query words are not terms.
        assert!(rows.iter().all(|row| row["term"] != "acme" && row["term"] != "globex"), "{beside:#}");
        let told_to_people = place.ok(&asked);
        assert!(told_to_people.contains("terms that stand out") && told_to_people.contains("so they are not news"));
        let exported = |with: &str| {
            let span = ["--topic", "globex", "--since", &since, "--until", &until, "--format", "jsonl"];
            let lines = place.ok(&[&["export", "--what", "terms"][..], &span].concat());
            let all: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            assert!(all.iter().any(|row| row["term"] == "launch"), "{lines}");
            assert!(all.iter().all(|row| row["compared_with"] == with), "{with}: {lines}");
        };
        exported("other_topics");
        // A reader of only this topic learns nothing about the words of others.
        let readers = [
            (&["ann", "--role", "read", "--topic", "globex"][..], "nothing"),
            (&["bea", "--role", "read"], "other_topics"),
        ];
        let readers = readers.map(|(args, with)| (add_token(&place, args), with));
        let pages = Pages::serve(&place, &["--at", &until]);
        for (from, (secret, with)) in (1..).zip(&readers) {
            let get = |path: &str| Visitor::Bearer(secret).request(&pages, from, "GET", path, "");
            let output = get(&format!("/api/v1/topics/globex/terms?since={since}")).json();
            assert_eq!(output["data"]["stand_out"]["compared_with"], *with, "{output:#}");
            let csv = get(&format!("/api/v1/exports/terms.csv?topic=globex&since={since}")).text();
            assert!(csv.contains(with) && csv.contains("other_topics") == (*with == "other_topics"), "{with}: {csv}");
            let page = get("/topics/globex").text();
            assert_eq!(page.contains("other topics"), *with == "other_topics", "{page}");
            assert!(assert_term_links(&page, &|path| get(path).text()) > 0, "{page}");
        }
        drop(pages);
        // Without other topics: the most frequent terms, and no numbers that suggest a surprise.
        database.forget_term_counts();
        let alone = output();
        assert_eq!(
            (&alone["stand_out"]["compared_with"], &alone["stand_out"]["texts"]),
            (&"nothing".into(), &0.into())
        );
        assert!(alone["stand_out"]["terms"].as_array().unwrap().iter().all(|row| row["z"] == 0.0), "{alone:#}");
        exported("nothing");
    }
}

/// Six posts a day about each of two topics, a third of those about acme with `harbor`; on the last day three times as
/// many about acme, in the same proportion. `strangers` of these have a word of their own, too few for news.
fn busy_last_day(strangers: i64) -> Vec<TruePost> {
    let mut random = ChaCha8Rng::seed_from_u64(13);
    let mut posts = Vec::new();
    for (query, word) in [("acme", "harbor"), ("globex", "meadow")] {
        for day in 0..DAYS {
            let many = if day == DAYS - 1 && query == "acme" { 18 } else { 6 };
            for n in 0..many {
                let id = posts.len() as u64 + 1;
                let extra = match n % 3 {
                    0 => word.to_owned(),
                    1 if many > 6 && n / 3 < strangers => "wharf".to_owned(),
                    _ => format!("w{:x}", id * 7_919),
                };
                let text = format!("{query} {extra} {:x} {:x}", random.next_u64(), random.next_u64());
                let at = Time(BEGIN + day * DAY + (n + 1) * 600_000);
                posts.push(TruePost { query: query.to_owned(), id, text, published: at, indexed: at, deleted: None });
            }
        }
    }
    posts
}

/// A database with the history of [`busy_last_day`].
fn busy_place(database: Database, strangers: i64) -> (Place, TruthService) {
    place_with_stream(database, busy_last_day(strangers), &format!("{TOPIC}{}", TOPIC.replace("acme", "globex")))
}

#[test]
fn a_busy_day_with_the_usual_words_has_no_term_that_stands_out() {
    let (place, _truth) = busy_place(sqlite(), 0);
    let (since, until) = (at(DAYS - 1), at(DAYS));
    let busy = place.json(&["terms", "acme", "--since", &since, "--until", &until, "--at", &at(DAYS), "--json"]);
    assert_eq!((&busy["no_terms"], &busy["terms"]), (&Value::Null, &serde_json::json!([])), "{busy:#}");
    assert_eq!(busy["stand_out"], Value::Null, "{busy:#}");
}

#[test]
fn the_busiest_day_without_news_terms_shows_terms_that_stand_out() {
    for database in databases() {
        let (place, _truth) = busy_place(database, 3);
        let database = &place.database;
        give_likes_and_tones(database);
        let of = |topic: &str, day: i64| {
            let (since, until) = (at(day), at(day + 1));
            place.json(&["terms", topic, "--since", &since, "--until", &until, "--at", &at(DAYS), "--json"])
        };
        let busy = of("acme", DAYS - 1);
        assert_eq!((&busy["no_terms"], &busy["terms"]), (&Value::Null, &serde_json::json!([])), "{busy:#}");
        let shown = &busy["stand_out"];
        let said = |day: i64| {
            let [_, authors, texts] = counted(database, day, "acme");
            authors.min(texts)
        };
        let most = (1..DAYS - 1).map(said).max().unwrap();
        assert_eq!(
            (&shown["reason"], &shown["texts_now"], &shown["most_texts_before"], &shown["compared_with"]),
            (&"busiest_day".into(), &said(DAYS - 1).into(), &most.into(), &"other_topics".into()),
            "{}: {busy:#}",
            database.name
        );
        let others = daily_counts(database, "globex", 0..DAYS, "harbor");
        let texts: i64 = others.iter().map(|[_, all]| all).sum();
        assert_eq!(shown["texts"], texts, "{}: {busy:#}", database.name);
        let harbor = row(shown, "terms", "term", "harbor");
        assert_term_compared(database, harbor, ("acme", DAYS - 1..DAYS), "harbor", &others);
        // Neither an ordinary day of the topic, nor the same day of the other one.
        for quiet in [of("acme", DAYS - 2), of("globex", DAYS - 1)] {
            assert_eq!((&quiet["terms"], &quiet["stand_out"]), (&serde_json::json!([]), &Value::Null), "{quiet:#}");
        }
        let sentence = format!("The busiest day so far: {} texts, at most {most} on an earlier day.", said(DAYS - 1));
        let span = ["--topic", "acme", "--since", &at(DAYS - 1), "--until", &at(DAYS)];
        let lines = place.ok(&[&["export", "--what", "terms", "--format", "jsonl"][..], &span].concat());
        assert!(lines.contains("\"harbor\"") && !lines.contains("\"past\""), "{lines}");
        let people = place.ok(&["terms", "acme", "--since", &at(DAYS - 1), "--until", &at(DAYS), "--at", &at(DAYS)]);
        assert!(people.contains("No term is more frequent than expected") && people.contains(&sentence), "{people}");
        for file in ["day.md", "day.html"] {
            let date = Time(BEGIN + (DAYS - 1) * DAY).utc_date();
            place.ok(&["report", "--date", &date, "--at", &at(DAYS), "--out", file]);
            let text = std::fs::read_to_string(place.path(file)).unwrap();
            assert!(text.contains("Terms that stand out") && text.contains(&sentence), "{file}: {text}");
        }
        let pages = Pages::serve(&place, &["--at", &at(DAYS)]);
        let api: Value = serde_json::from_str(&pages.get("/api/v1/topics/acme/terms").body).unwrap();
        assert_eq!(api["data"]["stand_out"], *shown, "{api:#}");
        assert!(pages.page("/topics/acme").contains(&sentence));
    }
}

#[test]
fn the_cause_of_a_day_with_more_items_than_are_read_counts_all_of_them() {
    for database in databases() {
        let (place, _truth) = busy_place(database, 0);
        let database = &place.database;
        let begin = BEGIN + (DAYS - 1) * DAY;
        // There are more than a report reads, and all say the same word.
        let second = format!("{begin} + n");
        database.make_items(
            21_000,
            &[
                ("first_seen", &second),
                ("last_seen", &second),
                ("published_at", &second),
                ("text", "'acme dambreak ' || n || ' w' || (n * 7919)"),
                ("author", "'ann' || n"),
                ("lang", "'en'"),
            ],
        );
        database.add_items_to_topic("acme", &database.last_run("acme"), "key LIKE 'post:made:%'");
        let date = Time(begin).utc_date();
        place.ok(&["report", "--date", &date, "--at", &at(DAYS), "--topic", "acme", "--out", "day.md"]);
        let text = std::fs::read_to_string(place.path("day.md")).unwrap();
        let sentence = text.lines().find(|line| line.contains("ost of the rise")).unwrap_or_else(|| panic!("{text}"));
        assert!(
            sentence.contains("items with “dambreak” \\(21,000 items, 0 expected\\)"),
            "{}: {sentence}",
            database.name
        );
        let news = text.lines().find(|line| line.contains("used more often than expected")).unwrap();
        assert!(news.contains("Counted in a sample of 20,000 of 21,018 items."), "{}: {news}", database.name);
        assert!(text.contains("Only a sample was read, 20,000 of 21,018 items"), "{}: {text}", database.name);
        let output = place.run(&["export", "--what", "terms", "--since", &at(DAYS - 1), "--until", &at(DAYS)]);
        assert!(output.err.contains("Only a sample was read"), "{output}");
        // Pages trust the stored counts: without them they say that these are missing, not that the topic is young.
        database.forget_term_counts();
        let pages = Pages::serve(&place, &["--at", &at(DAYS)]);
        let page = pages.page("/topics/acme");
        assert!(page.contains("the days before are counted after the next run"), "{}: {page}", database.name);
    }
}
