//! Measures the terms feature on real posts. On days with a known event a word for it must be among the first ten terms. With
//! the posts shuffled over the days nothing is news, so hardly any day may have a term. Days without a past are compared with
//! the other events, and so is the busiest day so far if its words differ from before and no term is news. The table goes into docs/dev/terms-measured.md
//! (`UPDATE_DOCS=1` rewrites it); `scripts/terms/compare.py` makes the rows of other methods.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use topicwatch_core::insight::daily::{Day, date_of, day_of};
use topicwatch_core::insight::terms::{
    BEFORE, DayTerms, LEAST_DAYS, RiseInput, TermCounter, TermItem, busiest_day, differs, news, rises, stand_out,
};
use topicwatch_core::model::{Assignment, ItemText, Kind, SearchableItem, Time, format_term};
use topicwatch_core::normalise::{near, words};

use crate::support::doc_tables::check_table;
use crate::support::event_days::{EventStream, STREAMS};

/// Times that the posts of each stream are shuffled over its days.
const SHUFFLES: usize = 10;
/// The results of `scripts/terms/compare.py` for the same days.
const OTHERS: &str = "| TF-IDF | 11 of 16 | 1 of 1 | 100.0 % |\n| YAKE | 12 of 16 | 1 of 1 | 100.0 % |\n";
/// The minimum number of posts in the four weeks before; with fewer, a stream has no past to compare with.
const LEAST_PAST: usize = 100;
/// Terms that are checked.
const FIRST: usize = 10;

/// A post as the test needs it.
struct Post {
    at: Time,
    day: String,
    text: String,
    cluster: String,
    terms: Vec<String>,
}

fn data() -> Option<PathBuf> {
    let data = std::env::var_os("TOPICWATCH_TEST_DATA").map(|data| PathBuf::from(data).join("posts"));
    if data.is_none() {
        eprintln!("skipped: days of CrisisLex events (TOPICWATCH_TEST_DATA is not set)");
    }
    data
}

fn below(random: &mut ChaCha8Rng, many: usize) -> usize {
    usize::try_from(random.next_u64() % many as u64).unwrap()
}

/// The posts of a stream in time. Every second post about something else is moved to a random day of the four weeks
/// before: the files begin with the events, and their other posts are the only available past. If there are hardly any,
/// the stream has no past, and its posts stay where they are.
fn posts(stream: &EventStream, folder: &std::path::Path, random: &mut ChaCha8Rng) -> (Vec<Post>, bool) {
    let laid = read(stream, folder, Some(random));
    if laid.iter().filter(|post| *post.day < *stream.days[0].0).count() >= LEAST_PAST {
        return (laid, true);
    }
    (read(stream, folder, None), false)
}

fn read(stream: &EventStream, folder: &std::path::Path, mut random: Option<&mut ChaCha8Rng>) -> Vec<Post> {
    let text = String::from_utf8_lossy(&std::fs::read(folder.join(stream.file)).unwrap()).into_owned();
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let first = stream.days[0].0.parse::<jiff::civil::Date>().unwrap();
    let (mut posts, mut other) = (Vec::new(), 0);
    for row in reader.records() {
        let row = row.unwrap();
        let id: u64 = row[0].trim_matches(['\'', '"', ' ']).parse().unwrap();
        // An id of a post starts with its milliseconds.
        let mut at = Time(i64::try_from(id >> 22).unwrap() + 1_288_834_974_657);
        if row[row.len() - 1].to_lowercase().starts_with("off-topic") || row[row.len() - 1].starts_with("Not ") {
            other += 1;
            if other % 2 == 0
                && let Some(random) = random.as_deref_mut()
            {
                let back = i32::try_from(1 + below(random, BEFORE)).unwrap();
                let date = first.checked_sub(jiff::Span::new().days(back)).unwrap();
                at = Time(day_of(date, stream.zone).unwrap().span.from.0 + 43_200_000);
            }
        }
        let day = date_of(at, stream.zone).to_string();
        posts.push(Post { at, day, text: row[1].to_owned(), cluster: id.to_string(), terms: Vec::new() });
    }
    posts.sort_by_key(|post| (post.at, post.cluster.clone()));
    let wording = |post: &Post| ItemText { kind: Kind::Post, title: None, text: Some(post.text.clone()), score: None };
    let marks = posts.iter().map(|post| near::fingerprint(&wording(post))).collect();
    let choices = near::assign_clusters(marks, &near::KnownClusters::default());
    let mut heads: BTreeMap<i64, String> = BTreeMap::new();
    for (post, choice) in posts.iter_mut().zip(choices) {
        match choice {
            Assignment::Alone => {}
            Assignment::Begins(head, _) => drop(heads.insert(head.place, post.cluster.clone())),
            Assignment::CopyOf(place, _) => post.cluster = heads[&place].clone(),
        }
        let mut found = std::collections::BTreeSet::new();
        let read = SearchableItem {
            kind: Kind::Post,
            title: None,
            text: Some(&post.text),
            author: None,
            author_name: None,
            url: None,
        };
        words::terms(&read, &mut |term| {
            found.insert(term.to_owned());
        });
        post.terms = found.into_iter().collect();
    }
    posts
}

fn item(post: &Post, place: usize) -> TermItem {
    TermItem {
        key: place.to_string(),
        kind: Kind::Post,
        cluster: post.cluster.clone(),
        // The files do not contain the authors: each text counts as another voice.
        voice: post.cluster.clone(),
        day: 0,
        at: post.at,
        sound: None,
        weight: 0,
        terms: post.terms.clone(),
        // The posts of these events are in scripts with spaces.
        runs: Vec::new(),
    }
}

fn counted<'a>(posts: impl Iterator<Item = &'a Post>) -> DayTerms {
    let mut counter = TermCounter::default();
    for post in posts {
        counter.item(&post.cluster, &post.cluster);
        post.terms.iter().for_each(|term| counter.term(term));
    }
    counter.end()
}

/// The terms of a day that are news, as they are shown, given all days by date; and whether its words differ from before.
fn news_of(
    stream: &EventStream,
    days: &BTreeMap<String, Vec<&Post>>,
    kept: &BTreeMap<String, DayTerms>,
    date: &str,
) -> (Vec<String>, bool) {
    let asked = words::QueryWords::of(stream.query).unwrap();
    let day = date.parse::<jiff::civil::Date>().unwrap();
    if is_first(days, date) {
        return (Vec::new(), false);
    }
    let before: Vec<DayTerms> = (1..=i32::try_from(BEFORE).unwrap())
        .filter_map(|back| kept.get(&day.checked_sub(jiff::Span::new().days(back)).unwrap().to_string()).cloned())
        .collect();
    let items: Vec<TermItem> = days[date].iter().enumerate().map(|(place, post)| item(post, place)).collect();
    let (rises, _) = rises(RiseInput { items: &items, before: &before }, &|term| asked.repeats_query(term));
    (news(&rises, &items).into_iter().map(|one| format_term(&one.term)).collect(), differs(&rises))
}

/// Whether a day is the busiest of the four weeks before it.
fn is_busiest(
    stream: &EventStream,
    days: &BTreeMap<String, Vec<&Post>>,
    kept: &BTreeMap<String, DayTerms>,
    date: &str,
) -> bool {
    let day = |date: jiff::civil::Date| day_of(date, stream.zone).unwrap();
    let today = date.parse::<jiff::civil::Date>().unwrap();
    let first = days.keys().next().unwrap().parse::<jiff::civil::Date>().unwrap();
    let before = (1..=i32::try_from(BEFORE).unwrap()).rev().map(|back| today.checked_sub(jiff::Span::new().days(back)));
    let said = |date: jiff::civil::Date| kept.get(&date.to_string()).map_or(0, |counts| counts.texts);
    let earlier: Vec<(Day, u64)> =
        before.map(Result::unwrap).filter(|date| *date >= first).map(|date| (day(date), said(date))).collect();
    let items: Vec<TermItem> = days[date].iter().enumerate().map(|(place, post)| item(post, place)).collect();
    busiest_day(&day(today), &items, &earlier).is_some()
}

/// Whether a day is one of the topic's first, which have too short a past to say what is news.
fn is_first(days: &BTreeMap<String, Vec<&Post>>, date: &str) -> bool {
    let first = days.keys().next().unwrap().parse::<jiff::civil::Date>().unwrap();
    let past = date.parse::<jiff::civil::Date>().unwrap().since((jiff::Unit::Day, first)).unwrap().get_days();
    usize::try_from(past).unwrap() < LEAST_DAYS
}

/// The terms that stand out on a day in comparison with other streams.
fn standing_out(stream: &EventStream, posts: &[&Post], others: &[DayTerms]) -> Vec<String> {
    let asked = words::QueryWords::of(stream.query).unwrap();
    let items: Vec<TermItem> = posts.iter().enumerate().map(|(place, post)| item(post, place)).collect();
    let found = stand_out(&items, others, &|term| asked.repeats_query(term));
    found.terms.into_iter().map(|one| format_term(&one.term)).collect()
}

fn by_day<'a>(posts: &'a [Post], of: impl Fn(usize) -> &'a str) -> BTreeMap<String, Vec<&'a Post>> {
    let mut days: BTreeMap<String, Vec<&Post>> = BTreeMap::new();
    for (place, post) in posts.iter().enumerate() {
        days.entry(of(place).to_owned()).or_default().push(post);
    }
    days
}

fn kept(days: &BTreeMap<String, Vec<&Post>>) -> BTreeMap<String, DayTerms> {
    days.iter().map(|(date, posts)| (date.clone(), counted(posts.iter().copied()))).collect()
}

/// Whether a term is one of the words, or a phrase with one of them.
fn names(term: &str, words: &[&str]) -> bool {
    let bare = term.trim_start_matches(['#', '@']);
    words.iter().any(|word| bare == *word || bare.split(' ').any(|one| one == *word))
}

#[test]
fn the_event_is_among_the_first_ten_terms_and_shuffled_days_have_hardly_any_news() {
    let Some(folder) = data() else { return };
    let (mut found, mut all, mut calm, mut false_days) = (0, 0, 0, 0);
    let (mut found_first, mut all_first) = (0, 0);
    let (mut by_news, mut busiest) = (0, 0);
    let mut missed = Vec::new();
    let mut dump = serde_json::Map::new();
    let mut read = Vec::new();
    for (seed, stream) in (1..).zip(STREAMS) {
        let mut random = ChaCha8Rng::seed_from_u64(20_261_124 + seed);
        let (posts, has_past) = posts(stream, &folder, &mut random);
        let counts = kept(&by_day(&posts, |place| &posts[place].day));
        read.push((stream, posts, has_past, counts, random));
    }
    // The days of all other streams, as a database with all six topics would have them.
    let elsewhere: Vec<Vec<DayTerms>> = (0..read.len())
        .map(|at| {
            let others = read.iter().enumerate().filter(|(other, _)| *other != at);
            others.flat_map(|(_, (.., counts, _))| counts.values().cloned()).collect()
        })
        .collect();
    // Days without their past: compared with other topics, and with nothing.
    let (mut cut, mut with_past) = ([0, 0], 0);
    for ((stream, posts, has_past, counts, mut random), others) in read.into_iter().zip(&elsewhere) {
        let days = by_day(&posts, |place| &posts[place].day);
        for (date, words) in stream.days {
            let among = |terms: Vec<String>| terms.iter().take(FIRST).any(|term| names(term, words));
            if has_past {
                with_past += 1;
                cut[0] += usize::from(among(standing_out(stream, &days[*date], others)));
                cut[1] += usize::from(among(standing_out(stream, &days[*date], &[])));
            }
            let (mut shown, differs) = news_of(stream, &days, &counts, date);
            let is_news = !shown.is_empty();
            let is_first = is_first(&days, date);
            if is_first || (!is_news && differs && is_busiest(stream, &days, &counts, date)) {
                shown = standing_out(stream, &days[*date], others);
            }
            let first: Vec<String> = shown.into_iter().take(FIRST).collect();
            let named = first.iter().any(|term| names(term, words));
            by_news += usize::from(named && is_news);
            if is_first {
                (all_first, found_first) = (all_first + 1, found_first + usize::from(named));
            } else {
                (all, found) = (all + 1, found + usize::from(named));
            }
            if !named {
                missed.push(format!("{} {date}: {first:?}", stream.file));
            }
            if std::env::var_os("TERMS_SHOWN").is_some() {
                eprintln!("{date} {} posts: {first:?}", days[*date].len());
            }
        }
        // The same posts, each on the day of another.
        let real: Vec<&str> = days.keys().map(String::as_str).filter(|date| *date >= stream.days[0].0).collect();
        let mut order: Vec<usize> = (0..posts.len()).collect();
        let mut shuffled = Vec::new();
        for _ in 0..SHUFFLES {
            for at in (1..order.len()).rev() {
                order.swap(at, below(&mut random, at + 1));
            }
            let days = by_day(&posts, |place| &posts[order[place]].day);
            let counts = kept(&days);
            for date in &real {
                if is_first(&days, date) {
                    continue;
                }
                calm += 1;
                let (shown, differs) = news_of(stream, &days, &counts, date);
                let is_news = !shown.is_empty();
                false_days += usize::from(is_news);
                busiest += usize::from(!is_news && differs && is_busiest(stream, &days, &counts, date));
            }
            shuffled.push(texts(&days));
        }
        shuffled.truncate(2);
        let of = serde_json::json!({ "query": stream.query, "events": stream.days, "days": texts(&days), "shuffled": shuffled });
        dump.insert(stream.file.to_owned(), of);
    }
    if let Some(path) = std::env::var_os("TERMS_DAYS") {
        std::fs::write(path, serde_json::Value::Object(dump).to_string()).unwrap();
    }
    let share = |part: usize, whole: usize| 100.0 * part as f64 / whole as f64;
    eprintln!(
        "{found} of {all} event days, {found_first} of {all_first} first days, {cut:?} with the past cut away, {false_days} of {calm} shuffled days, on {busiest} more terms that stand out; missed {missed:#?}"
    );
    assert!(cut.iter().all(|named| share(*named, with_past) >= 80.0), "{cut:?} of {with_past}");
    assert!(share(found, all) >= 90.0, "{found} of {all}: {missed:#?}");
    assert!(share(found + found_first, all + all_first) >= 90.0, "{missed:#?}");
    assert!(share(false_days + busiest, calm) <= 5.0, "{false_days} and {busiest} of {calm}");
    let table = format!(
        "| method | days whose event is named | first days | shuffled days with terms |\n|---|---:|---:|---:|\n\
         | topicwatch | {found} of {all} ({by_news} by news) | {found_first} of {all_first} | {:.1} % ({} of {calm}: {false_days} with news) |\n",
        share(false_days + busiest, calm),
        false_days + busiest,
    );
    check_table("docs/dev/terms-measured.md", "terms", &format!("{table}{OTHERS}"));
}

fn texts(days: &BTreeMap<String, Vec<&Post>>) -> BTreeMap<String, Vec<String>> {
    days.iter().map(|(date, posts)| (date.clone(), posts.iter().map(|post| post.text.clone()).collect())).collect()
}
