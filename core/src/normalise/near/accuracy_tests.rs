//! Measures precision and recall on pairs of real posts labelled by people, and on published sentence pairs. `cargo
//! test --lib near::accuracy_tests -- --nocapture` prints the figures of docs/dev/near-copies-measured.md. The texts are not
//! in the repository: without TOPICWATCH_TEST_DATA the tests are skipped.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::page_tests::EVERYWHERE;
use super::property_tests::{are_copies, page};
use super::{assign_clusters, fingerprint, needed_heads, similarity};
use crate::model::{Assignment, ClusterHead, Fingerprint, ItemText, Kind};
use crate::normalise::near::assignment::KnownClusters;

/// Labelled pairs: `id_a,id_b,label` and possibly more columns; the label is `same` or `different`.
const LABELS: &str = "docs/dev/labels/near_copy_pairs.csv";

fn report(line: &str) {
    writeln!(std::io::stderr(), "{line}").ok();
}

fn data() -> Option<PathBuf> {
    let data = std::env::var_os("TOPICWATCH_TEST_DATA").map(PathBuf::from);
    if data.is_none() {
        report("skipped: figures of near-copies (TOPICWATCH_TEST_DATA is not set)");
    }
    data
}

fn rows(path: &Path, delimiter: u8) -> Vec<Vec<String>> {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    let mut reader = csv::ReaderBuilder::new();
    reader.has_headers(false).flexible(true).delimiter(delimiter).quoting(delimiter == b',');
    let records = reader.from_reader(text.as_bytes()).into_records();
    records.map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// Ids and texts of the real posts, sorted by id.
fn posts(data: &Path) -> Vec<(String, String)> {
    let mut posts = Vec::new();
    for folder in ["posts/crisislex_t6", "posts/crisislex_t26"] {
        for file in std::fs::read_dir(data.join(folder)).unwrap() {
            let rows = rows(&file.unwrap().path(), b',');
            let row =
                |row: &Vec<String>| Some((row.first()?.trim_matches(['\'', '"']).to_owned(), row.get(1)?.clone()));
            posts.extend(rows.iter().skip(1).filter_map(row));
        }
    }
    posts.sort();
    posts.dedup_by(|a, b| a.0 == b.0);
    posts
}

fn post(text: &str) -> Option<Fingerprint> {
    fingerprint(&ItemText { kind: Kind::Post, title: None, text: Some(text.to_owned()), score: None })
}

fn found(a: &Fingerprint, b: &Fingerprint) -> bool {
    a.bands.iter().any(|key| b.bands.contains(key))
}

/// Counts of decisions about pairs, compared with people's labels.
#[derive(Debug, Default)]
struct Tally {
    right: usize,
    wrong: usize,
    passed_over: usize,
    /// Among the missed copies, those that share no key.
    not_found: usize,
    told_apart: usize,
}

impl Tally {
    fn add(&mut self, same: bool, found: bool, alike: bool) {
        match (same, found && alike) {
            (true, true) => self.right += 1,
            (false, true) => self.wrong += 1,
            (true, false) => {
                self.passed_over += 1;
                self.not_found += usize::from(alike);
            }
            (false, false) => self.told_apart += 1,
        }
    }

    fn precision(&self) -> f64 {
        share(self.right, self.right + self.wrong)
    }

    fn recall(&self) -> f64 {
        share(self.right, self.right + self.passed_over)
    }

    fn line(&self) -> String {
        format!(
            "{} same, {} different: precision {:.3}, recall {:.3} ({} called same wrongly, {} not found by their keys)",
            self.right + self.passed_over,
            self.wrong + self.told_apart,
            self.precision(),
            self.recall(),
            self.wrong,
            self.not_found,
        )
    }
}

fn share(part: usize, whole: usize) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "counts of pairs are small")]
    let share = part as f64 / whole.max(1) as f64;
    share
}

#[test]
fn labelled_pairs_of_real_posts_are_judged_as_people_did() {
    let Some(data) = data() else { return };
    let labels = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(LABELS);
    if !labels.exists() {
        return report(&format!("skipped: no labelled pairs in {LABELS}"));
    }
    let texts: HashMap<String, String> = posts(&data).into_iter().collect();
    let (mut chosen_on, mut checked_on) = (Tally::default(), Tally::default());
    let mut unknown = 0;
    for row in rows(&labels, b',').iter().skip(1) {
        let [a, b, label, ..] = row.as_slice() else { continue };
        let (Some(one), Some(other)) = (texts.get(a), texts.get(b)) else {
            unknown += 1;
            continue;
        };
        let same = label == "same";
        let (one_marks, other_marks) = (post(one), post(other));
        let both = one_marks.as_ref().zip(other_marks.as_ref());
        let found = both.is_some_and(|(x, y)| found(x, y));
        let alike = both.and_then(|(x, y)| similarity(&x.sketch, &y.sketch));
        if std::env::var_os("NEAR_SHOW").is_some() && same != (found && alike.is_some()) {
            report(&format!("{label} by people: {a} {b}, found {found}, alike {alike:?}"));
        }
        // Split into halves independently of the order of the file.
        let half = a.bytes().chain(b.bytes()).map(u64::from).sum::<u64>() % 2;
        if half == 0 { &mut chosen_on } else { &mut checked_on }.add(same, found, alike.is_some());
    }
    report(&format!("labelled pairs, thresholds chosen on: {}", chosen_on.line()));
    report(&format!("labelled pairs, checked on:           {}", checked_on.line()));
    assert_eq!(unknown, 0, "pairs whose posts are not in the data");
    // Before `opposes` existed: 0.988 (80 of 81) and 0.727; 0.981 and 0.808.
    assert!(checked_on.precision() >= 0.987 && checked_on.recall() >= 0.707, "{}", checked_on.line());
    assert!(chosen_on.precision() >= 0.981 && chosen_on.recall() >= 0.788, "{}", chosen_on.line());
}

#[test]
fn published_sentence_pairs_are_mostly_not_copies() {
    let Some(data) = data() else { return };
    // The maximum number of pairs with a score, per thousand, that are called copies. STS scores 0 to 5, where 4 is the
    // same news in other words; MSR scores 0 and 1, where 1 is a paraphrase.
    const STS: [usize; 5] = [0, 0, 0, 15, 50];
    const MSR: [usize; 2] = [50, 300];
    for (file, score, texts, bounds) in [
        ("sts_headlines_2013.tsv", 0, (1, 2), STS.as_slice()),
        ("sts_headlines_2014.tsv", 0, (1, 2), &STS),
        ("sts_tweet-news_2014.tsv", 0, (1, 2), &STS),
        ("mrpc_msr-para-train.tsv", 0, (3, 4), &MSR),
    ] {
        let mut tallies: Vec<(String, usize, usize)> = Vec::new();
        for row in rows(&data.join("near_copies").join(file), b'\t') {
            let (Some(score), Some(a), Some(b)) = (row.get(score), row.get(texts.0), row.get(texts.1)) else {
                continue;
            };
            let Some(score) = score.split('.').next().filter(|s| s.parse::<u8>().is_ok()) else { continue };
            let copies =
                post(a).zip(post(b)).is_some_and(|(a, b)| found(&a, &b) && similarity(&a.sketch, &b.sketch).is_some());
            let at = tallies.iter().position(|(s, ..)| s == score).unwrap_or_else(|| {
                tallies.push((score.to_owned(), 0, 0));
                tallies.len() - 1
            });
            tallies[at].1 += usize::from(copies);
            tallies[at].2 += 1;
        }
        tallies.sort();
        let line: Vec<String> =
            tallies.iter().map(|(score, copies, all)| format!("{score}: {copies} of {all}")).collect();
        report(&format!("{file}, called copies by score: {}", line.join(", ")));
        assert!(tallies.len() >= bounds.len(), "{file}: {line:?}");
        for ((score, copies, all), bound) in tallies.iter().zip(bounds) {
            assert!(*all > 50 && copies * 1_000 <= all * bound, "{file}, score {score}: {copies} of {all}");
        }
    }
}

/// Pairs each unrelated headline with text that sites show to everyone.
#[test]
fn unrelated_headlines_are_not_joined_by_site_boilerplate() {
    let Some(data) = data() else { return };
    let mut headlines = Vec::new();
    for file in ["sts_headlines_2013.tsv", "sts_headlines_2014.tsv"] {
        headlines
            .extend(rows(&data.join("near_copies").join(file), b'\t').iter().filter_map(|row| row.get(1).cloned()));
    }
    let (mut joined, mut all) = (0, 0);
    for text in EVERYWHERE {
        let pages: Vec<_> = headlines.iter().map(|title| page(title, text)).collect();
        // 400 rows apart, so that they are about different news.
        for (a, b) in pages.iter().zip(pages.iter().skip(400)) {
            joined += usize::from(are_copies(a.as_ref(), b.as_ref()));
            all += 1;
        }
    }
    report(&format!("headlines of other news under one text of a site: {joined} of {all} called copies"));
    assert!(joined * 50 <= all, "{joined} of {all}");
}

#[test]
fn real_posts_give_the_same_clusters_for_any_batch_size() {
    let Some(data) = data() else { return };
    let items: Vec<Option<Fingerprint>> = posts(&data).iter().map(|(_, text)| post(text)).collect();
    let all = clustered(&items, 500);
    let firsts = all.values().filter(|members| members.len() > 1).count();
    let copies: usize = all.values().map(|members| members.len() - 1).sum();
    let largest = all.values().map(Vec::len).max().unwrap_or_default();
    let exact_key = |item: usize| items[item].as_ref().and_then(|marks| marks.bands.last());
    let own_words =
        |members: &Vec<usize>| members.iter().filter(|item| exact_key(**item) != exact_key(members[0])).count();
    report(&format!(
        "{} real posts: {} say too little, {firsts} clusters of several, {copies} copies, the largest of {largest}, \
         {} not equal letter by letter",
        items.len(),
        items.iter().filter(|marks| marks.is_none()).count(),
        all.values().map(own_words).sum::<usize>(),
    ));
    let sample: Vec<Option<Fingerprint>> = items.into_iter().step_by(7).collect();
    assert_eq!(clustered(&sample, 1), clustered(&sample, 333));
}

/// The items of each cluster, by the number of its first item.
fn clustered(items: &[Option<Fingerprint>], at_once: usize) -> HashMap<i64, Vec<usize>> {
    let mut leads: HashMap<i64, Vec<i64>> = HashMap::new();
    let mut heads: HashMap<i64, ClusterHead> = HashMap::new();
    let mut clusters: HashMap<i64, Vec<usize>> = HashMap::new();
    let mut next = 0;
    for (chunk, batch) in items.chunks(at_once).enumerate() {
        let keys = batch.iter().flatten().flat_map(|marks| &marks.bands);
        let mut known: Vec<(i64, i64)> =
            keys.flat_map(|key| leads.get(key).into_iter().flatten().map(|place| (*key, *place))).collect();
        known.sort_unstable();
        known.dedup();
        let wanted = needed_heads(batch, &known);
        let heads_known = wanted.iter().map(|place| heads[place].clone()).collect();
        for (at, choice) in assign_clusters(batch.to_vec(), &KnownClusters { leads: known, heads: heads_known, next })
            .into_iter()
            .enumerate()
        {
            let item = chunk * at_once + at;
            match choice {
                Assignment::Alone => {}
                Assignment::CopyOf(place, key) => {
                    clusters.get_mut(&place).unwrap().push(item);
                    key.iter().for_each(|key| leads.entry(*key).or_default().push(place));
                }
                Assignment::Begins(head, keys) => {
                    next = head.place + 1;
                    clusters.insert(head.place, vec![item]);
                    keys.iter().for_each(|key| leads.entry(*key).or_default().push(head.place));
                    heads.insert(head.place, head);
                }
            }
        }
    }
    clusters
}
