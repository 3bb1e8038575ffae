//! Measures CPU time for the terms of 100,000 posts of four weeks: counting each day once for storage, and finding the
//! news of one day against the stored counts. Uses invented posts, and with `TOPICWATCH_TEST_DATA` also real ones.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::cast_precision_loss, reason = "a tool for the terminal")]

use std::collections::BTreeSet;

use topicwatch::insight::terms::{BEFORE, DayTerms, RiseInput, TermCounter, TermItem, news, rises, stand_out};
use topicwatch::model::{Kind, SearchableItem, Time};
use topicwatch::normalise::words;

const POSTS: usize = 100_000;
/// Stored days of other topics.
const OTHERS: usize = 224;

fn main() {
    // Zipf's law: the frequency of the n-th most common word is proportional to 1/n.
    let mut state = 7_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(u32::MAX >> 1)
    };
    let mut invented = || {
        let words = (0..14).map(|_| format!("w{:x} ", 30_000_f64.powf(random()) as u32));
        format!("{}#tag{:x} https://example.com/a", words.collect::<String>(), (random() * 40.0) as u32)
    };
    measure("invented", &(0..POSTS).map(|_| invented()).collect::<Vec<_>>());
    let Some(data) = std::env::var_os("TOPICWATCH_TEST_DATA") else { return };
    let file = std::path::Path::new(&data).join("posts/crisislex_t6/2012_Sandy_Hurricane.csv");
    match csv::ReaderBuilder::new().flexible(true).from_path(&file) {
        Ok(mut reader) => {
            let rows = reader.byte_records().filter_map(Result::ok);
            let real: Vec<String> =
                rows.filter_map(|row| Some(String::from_utf8_lossy(row.get(1)?).into_owned())).collect();
            let posts: Vec<String> = (0..POSTS).map(|n| format!("{} x{n:x}", real[n % real.len()])).collect();
            measure("real", &posts);
        }
        Err(error) => println!("real posts left out: {}: {error}", file.display()),
    }
}

fn readable(text: &str) -> SearchableItem<'_> {
    SearchableItem { kind: Kind::Post, title: None, text: Some(text), author: None, author_name: None, url: None }
}

/// CPU time of the main thread in seconds.
fn cpu_time() -> f64 {
    let reported = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    reported.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

fn measure(name: &str, posts: &[String]) {
    let names: Vec<String> = (0..posts.len()).map(|n| format!("post:x:{n}")).collect();
    let before = cpu_time();
    let kept: Vec<Vec<u8>> = posts
        .chunks(posts.len() / BEFORE)
        .zip(names.chunks(posts.len() / BEFORE))
        .map(|(posts, names)| {
            let mut counter = TermCounter::default();
            for (post, name) in posts.iter().zip(names) {
                counter.item(name, &name[..name.len() - 1]);
                words::terms(&readable(post), &mut |term| counter.term(term));
            }
            counter.end().encode()
        })
        .collect();
    let counted = cpu_time() - before;
    let bytes: usize = kept.iter().map(Vec::len).sum();
    let before = cpu_time();
    let days: Vec<DayTerms> = kept.iter().map(|bytes| DayTerms::decode(bytes).unwrap()).collect();
    let items: Vec<TermItem> =
        posts.iter().zip(&names).take(posts.len() / BEFORE).map(|(post, name)| item(post, name)).collect();
    let (all, tested) = rises(RiseInput { items: &items, before: &days }, &|_| false);
    let reported = news(&all, &items).len();
    let read = cpu_time() - before;
    // A topic's first day, against the most stored days of other topics that are ever read.
    let before = cpu_time();
    let others: Vec<DayTerms> =
        kept.iter().cycle().take(OTHERS).map(|bytes| DayTerms::decode(bytes).unwrap()).collect();
    let first = stand_out(&items, &others, &|_| false).terms.len();
    let stood = cpu_time() - before;
    println!(
        "{name}: {} posts counted in {counted:.2} s, kept in {:.1} MB; a day of {} beside them in {read:.2} s ({tested} tested, {reported} news); what stands out beside {OTHERS} days of others in {stood:.2} s ({first} terms)",
        posts.len(),
        bytes as f64 / 1e6,
        items.len()
    );
}

fn item(post: &str, name: &str) -> TermItem {
    let mut terms = BTreeSet::new();
    words::terms(&readable(post), &mut |term| {
        terms.insert(term.to_owned());
    });
    TermItem {
        key: name.to_owned(),
        kind: Kind::Post,
        cluster: name.to_owned(),
        voice: name.to_owned(),
        day: 0,
        at: Time(0),
        sound: None,
        weight: 0,
        terms: terms.into_iter().collect(),
        runs: words::dense_runs(&readable(post)),
    }
}
