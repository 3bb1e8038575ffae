//! Measures how often a named cause is the right one, on streams whose causes only this file knows and which it
//! generates itself. The tables are in docs/dev/report-measured.md (`UPDATE_DOCS=1` rewrites them).

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use rand_distr::{Distribution as _, Gamma, Poisson};
use topicwatch_core::insight::daily::{Day, Share, days, share, usual_range, usual_share};
use topicwatch_core::insight::why::{self, Cause, Compared, DayItems, Dimension, Item, Term};
use topicwatch_core::model::{Source, Time};

use crate::support::doc_tables::check_table;

/// Streams in each cell; more where they vary most, because fewer of their days are reported.
fn streams(cv: f64) -> u32 {
    if cv < 0.5 { 50 } else { 150 }
}
/// The least percentage of reported days on which an inserted cause must be named. If days vary by half, so does a
/// source's share, and it happens more often that no cause is named.
fn named_at_least(cv: f64) -> f64 {
    if cv < 0.5 { 95.0 } else { 85.0 }
}
/// With fewer reported days no percentage is shown.
const FEW: u32 = 20;
/// With fewer reported days the rate of named causes is not checked: falls are rarely reported for a stream that
/// varies.
const FEW_NAMED: u32 = 60;
/// Items per day, and days of history.
const CELLS: [(f64, usize); 4] = [(60.0, 14), (60.0, 28), (60.0, 60), (200.0, 28)];
/// The least difference in items that is reported, and the least number of scored items for which shares are compared.
const LEAST: f64 = 10.0;
const LEAST_SCORED: u64 = 20;
/// The sources: name, share of all items, factor at weekends, and share of negative posts.
const SOURCES: [(&str, f64, f64, f64); 3] =
    [("social", 0.55, 1.0, 0.30), ("web", 0.25, 0.6, 0.15), ("hn", 0.20, 0.9, 0.25)];
/// Words of usual posts with their frequencies.
const WORDS: [(&str, f64); 5] = [("acme", 0.97), ("price", 0.30), ("review", 0.12), ("repair", 0.05), ("recall", 0.01)];
/// Factors for Monday to Sunday.
const WEEK: [f64; 7] = [1.1, 1.15, 1.15, 1.1, 1.1, 0.7, 0.7];
const SCATTERS: [(&str, f64); 3] =
    [("Poisson", 0.0), ("negative binomial, cv 0.2", 0.2), ("negative binomial, cv 0.5", 0.5)];

struct Post {
    key: String,
    text: String,
    author: String,
    source: Option<&'static str>,
    negative: bool,
    words: Vec<&'static str>,
    /// Inserted as a cause; `turned` is negative only because of a cause.
    put_in: bool,
    turned: bool,
}

impl Post {
    /// The negative share of a day.
    fn negative(posts: &[Self]) -> Option<Share> {
        share(posts.iter().filter(|post| post.negative).count() as u64, posts.len() as u64)
    }

    /// The same without its inserted cause.
    fn negative_without_cause(posts: &[Self]) -> Option<Share> {
        let calm = || posts.iter().filter(|post| !post.put_in);
        share(calm().filter(|post| post.negative && !post.turned).count() as u64, calm().count() as u64)
    }
}

struct Stream {
    mean: f64,
    cv: f64,
    random: ChaCha8Rng,
    keys: u64,
    /// By how many items the inserted cause changed the last day.
    made: f64,
}

/// The changes of a day: a factor for each source, and additions to its share of negative posts.
#[derive(Clone, Copy)]
struct Mood {
    factors: [f64; 3],
    negative: [f64; 3],
}

const CALM: Mood = Mood { factors: [1.0; 3], negative: [0.0; 3] };

impl Stream {
    fn unit(&mut self) -> f64 {
        (self.random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A random factor around 1 with this coefficient of variation.
    fn gamma(&mut self, cv: f64) -> f64 {
        if cv == 0.0 { 1.0 } else { Gamma::new(1.0 / (cv * cv), cv * cv).unwrap().sample(&mut self.random) }
    }

    fn count(&mut self, mean: f64) -> usize {
        if mean <= 0.0 { 0 } else { Poisson::new(mean).unwrap().sample(&mut self.random) as usize }
    }

    /// An ordinary post of a source.
    fn post(&mut self, source: usize, negative: f64) -> Post {
        self.keys += 1;
        let (name, _, _, usually) = SOURCES[source];
        // A few authors write much, many write little.
        let author = format!("author{}", (600.0 * self.unit().powi(3)) as u64);
        let words = WORDS.iter().filter(|(_, often)| self.unit() < *often).map(|(word, _)| *word).collect();
        let chance = self.unit();
        let (negative, turned) = (chance < (usually + negative).min(1.0), chance >= usually);
        // Another source finds one in twenty, too.
        let source = (self.unit() >= 0.05).then_some(name);
        let key = format!("p{}", self.keys);
        Post { text: key.clone(), key, author, source, negative, words, put_in: false, turned: negative && turned }
    }

    fn any_source(&mut self) -> usize {
        let at = self.unit();
        let social = SOURCES[0].1;
        if at < social { 0 } else { 1 + usize::from(at > social + SOURCES[1].1) }
    }

    fn day(&mut self, day: &Day, mood: Mood) -> Vec<Post> {
        let weekday = usize::try_from(day.date.weekday().to_monday_zero_offset()).unwrap();
        // Half of a day's variation is common to all sources, half their own; the tone varies, too.
        let (together, sounds) = (self.gamma(self.cv * 0.8), (self.unit() - 0.5) * 0.08);
        let mut posts = Vec::new();
        self.made = 0.0;
        for (at, (_, part, weekend, _)) in SOURCES.iter().enumerate() {
            let own = self.gamma(self.cv * 0.6);
            let weekend = if weekday >= 5 { *weekend } else { 1.0 };
            let rate = self.mean * WEEK[weekday] * part * weekend * together * own;
            let many = self.count(rate * mood.factors[at]);
            // The items that a factor added or removed.
            self.made += if mood.factors[at] > 0.0 { many as f64 * (1.0 - 1.0 / mood.factors[at]) } else { -rate };
            for _ in 0..many {
                let mut post = self.post(at, mood.negative[at] + sounds);
                // One in twelve repeats an earlier post of the day.
                if self.unit() < 1.0 / 12.0 && !posts.is_empty() {
                    let copied: &Post = &posts[(self.unit() * posts.len() as f64) as usize];
                    post.text = copied.text.clone();
                }
                posts.push(post);
            }
        }
        posts
    }

    /// Posts of a cause, in random sources.
    fn more(&mut self, many: f64, change: impl Fn(&mut Post, u64)) -> Vec<Post> {
        (0..many.round() as u64)
            .map(|n| {
                let source = self.any_source();
                let mut post = Post { put_in: true, ..self.post(source, 0.0) };
                change(&mut post, n);
                post
            })
            .collect()
    }
}

fn items<'a>(day: &Day, posts: &'a [Post]) -> DayItems<'a> {
    let item = |post: &'a Post| Item {
        key: &post.key,
        text: &post.text,
        author: Some(post.author.clone()),
        source: post.source.and_then(Source::parse),
        has_tone: Some(post.negative),
    };
    DayItems { day: *day, items: posts.iter().map(item).collect(), sourced: true }
}

/// The values of each word, in the order of the words. There are few words, so a list is faster than a map.
fn by_word<T>(all: impl Iterator<Item = (&'static str, T)>) -> Vec<(&'static str, Vec<T>)> {
    let mut words: Vec<(&'static str, Vec<T>)> = Vec::new();
    for (word, one) in all {
        match words.iter_mut().find(|(known, _)| *known == word) {
            Some((_, of_word)) => of_word.push(one),
            None => words.push((word, vec![one])),
        }
    }
    words.sort_unstable_by_key(|(word, _)| *word);
    words
}

/// The share of earlier posts that contain each word.
fn usual_words(earlier: &[(Day, Vec<Post>)]) -> BTreeMap<&'static str, f64> {
    let all = earlier.iter().map(|(_, posts)| posts.len()).sum::<usize>().max(1) as f64;
    let posts = earlier.iter().flat_map(|(_, posts)| posts);
    let words = by_word(posts.flat_map(|post| post.words.iter().map(|word| (*word, ()))));
    words.into_iter().map(|(word, with)| (word, with.len() as f64 / all)).collect()
}

/// The terms that the product would pass on: those of the day, with the expected number of posts that contain each.
fn terms<'a>(today: &'a [Post], usual: &BTreeMap<&'static str, f64>, expected: f64) -> Vec<Term<'a>> {
    let words = today.iter().flat_map(|post| post.words.iter().map(move |word| (*word, post.key.as_str())));
    let expected = |term: &str| usual.get(term).copied().unwrap_or(0.0) * expected;
    let terms = by_word(words).into_iter();
    terms.map(|(term, keys)| Term { term, keys: keys.into_iter().collect(), expected: expected(term) }).collect()
}

/// Days, or alerts, whose causes were reported, and how many of them rightly and wrongly.
#[derive(Default, Clone, Copy)]
struct Reported {
    days: u32,
    right: u32,
    wrong: u32,
}

impl Reported {
    fn add(&mut self, cause: Option<&Cause>, truth: Option<(Dimension, &str)>) {
        self.days += 1;
        match (cause, truth) {
            (None, None) => self.right += 1,
            (Some(cause), Some((dimension, name))) if cause.dimension == dimension && cause.name == name => {
                self.right += 1;
            }
            (Some(_), _) => self.wrong += 1,
            (None, Some(_)) => {}
        }
    }

    /// The cell of the table.
    fn cell(&self) -> String {
        if self.days < FEW {
            return format!("{} of {} days ({})", self.right, self.days, self.wrong);
        }
        format!("{:.0} % ({:.0} %)", self.percent(self.right), self.percent(self.wrong))
    }

    fn percent(self, of: u32) -> f64 {
        f64::from(of) * 100.0 / f64::from(self.days.max(1))
    }
}

/// A case: its name, the posts of its day, and the true cause.
type Case = (&'static str, fn(&mut Stream, &Day) -> Vec<Post>, Option<(Dimension, &'static str)>);

fn with(stream: &mut Stream, day: &Day, more: impl FnOnce(&mut Stream) -> Vec<Post>) -> Vec<Post> {
    let mut posts = stream.day(day, CALM);
    let calm = posts.len();
    posts.extend(more(stream));
    stream.made = (posts.len() - calm) as f64;
    posts
}

fn copied(stream: &mut Stream, many: f64, text: &str) -> Vec<Post> {
    stream.more(many, |post, n| {
        post.text = text.to_owned();
        post.author = format!("copier{n}");
    })
}

const VOLUMES: [Case; 11] = [
    (
        "one text by many authors",
        |s, day| with(s, day, |s| copied(s, s.mean * 2.0, "copied")),
        Some((Dimension::Text, "copied")),
    ),
    (
        "one author",
        |s, day| with(s, day, |s| s.more(s.mean * 2.0, |post, _| post.author = "flooder".to_owned())),
        Some((Dimension::Author, "flooder")),
    ),
    (
        "one term in many different posts",
        |s, day| with(s, day, |s| s.more(s.mean * 2.0, |post, _| post.words.push("fire"))),
        Some((Dimension::Term, "fire")),
    ),
    (
        "one source: the largest",
        |s, day| s.day(day, Mood { factors: [4.5, 1.0, 1.0], ..CALM }),
        Some((Dimension::Source, "social")),
    ),
    (
        "one source: the smallest",
        |s, day| s.day(day, Mood { factors: [1.0, 1.0, 11.0], ..CALM }),
        Some((Dimension::Source, "hn")),
    ),
    (
        "one author who repeats one text in one source",
        |s, day| {
            with(s, day, |s| {
                s.more(s.mean * 2.0, |post, _| {
                    post.author = "flooder".to_owned();
                    post.text = "copied".to_owned();
                    post.source = Some("web");
                })
            })
        },
        Some((Dimension::Text, "copied")),
    ),
    (
        "two texts, one three times the other",
        |s, day| {
            with(s, day, |s| {
                let mut posts = copied(s, s.mean * 2.1, "copied");
                posts.extend(copied(s, s.mean * 0.7, "another"));
                posts
            })
        },
        Some((Dimension::Text, "copied")),
    ),
    (
        "a source that stopped: the largest",
        |s, day| s.day(day, Mood { factors: [0.0, 1.0, 1.0], ..CALM }),
        Some((Dimension::Source, "social")),
    ),
    (
        "none: a text, an author and a term alike",
        |s, day| {
            with(s, day, |s| {
                let mut posts = copied(s, s.mean, "copied");
                posts.extend(s.more(s.mean, |post, _| post.author = "flooder".to_owned()));
                posts.extend(s.more(s.mean, |post, _| post.words.push("fire")));
                posts
            })
        },
        None,
    ),
    ("none: everything rose alike", |s, day| s.day(day, Mood { factors: [3.0; 3], ..CALM }), None),
    ("none: everything fell alike", |s, day| s.day(day, Mood { factors: [0.15; 3], ..CALM }), None),
];

/// Consecutive days, the last one today; each `shift` starts on another weekday.
fn calendar(many: usize, shift: u32) -> Vec<Day> {
    let end = Time::parse("2026-03-30T12:00:00Z").unwrap();
    days(Time(end.0 + i64::from(shift % 7) * 86_400_000), i32::try_from(many).unwrap(), "UTC")
}

fn each_stream(
    mean: f64,
    cv: f64,
    history: usize,
    seed: u64,
    mut each: impl FnMut(&mut Stream, &Day, &[(Day, Vec<Post>)]),
) {
    let mut stream = Stream { mean, cv, random: ChaCha8Rng::seed_from_u64(seed), keys: 0, made: 0.0 };
    for shift in 0..streams(cv) {
        let calendar = calendar(history + 1, shift);
        let (today, before) = calendar.split_last().unwrap();
        let earlier: Vec<(Day, Vec<Post>)> = before.iter().map(|day| (*day, stream.day(day, CALM))).collect();
        each(&mut stream, today, &earlier);
    }
}

/// The table of some cases, and those that are right too rarely.
fn table(names: &[&str], reported: &[Vec<Reported>]) -> (String, Vec<String>) {
    let scatters = SCATTERS.map(|(name, _)| name).join(" | ");
    let mut table = format!("| put into a calm stream | days reported | {scatters} |\n|---|---:|---:|---:|---:|\n");
    let mut poor = Vec::new();
    for (case, name) in names.iter().enumerate() {
        let all: Vec<Reported> = reported.iter().map(|of| of[case]).collect();
        let days: u32 = all.iter().map(|reported| reported.days).sum();
        let cells: Vec<String> = all.iter().map(Reported::cell).collect();
        table.push_str(&format!("| {name} | {days} | {} |\n", cells.join(" | ")));
        for (reported, (scatter, cv)) in all.iter().zip(SCATTERS) {
            // A named cause must be right on 95 of 100 days; without a cause, none must be named as often.
            let named = Reported { days: reported.right + reported.wrong, ..*reported };
            let (often, few) = if name.starts_with("none") { (95.0, FEW) } else { (named_at_least(cv), FEW_NAMED) };
            if reported.days >= few && reported.percent(reported.right) < often
                || reported.days >= FEW && named.percent(reported.right) < 95.0
                || reported.percent(reported.wrong) > 5.0
            {
                poor.push(format!(
                    "{name}, {scatter}: {} of {} right, {} wrong",
                    reported.right, reported.days, reported.wrong
                ));
            }
        }
    }
    (table, poor)
}

#[test]
fn the_named_cause_of_a_rise_or_fall_is_the_real_one() {
    let mut by_scatter = vec![vec![Reported::default(); VOLUMES.len()]; SCATTERS.len()];
    let mut rest = Reported::default();
    for (at, (_, cv)) in SCATTERS.iter().enumerate() {
        for (mean, history) in CELLS {
            each_stream(mean, *cv, history, 11 + at as u64, |stream, today, earlier| {
                let counts: Vec<(Day, u64)> = earlier.iter().map(|(day, posts)| (*day, posts.len() as u64)).collect();
                let usual = usual_range(today, &counts).unwrap();
                let words = usual_words(earlier);
                let before: Vec<DayItems<'_>> = earlier.iter().map(|(day, posts)| items(day, posts)).collect();
                for (case, (_, posts, truth)) in VOLUMES.iter().enumerate() {
                    let posts = posts(stream, today);
                    let many = posts.len() as f64;
                    if (many >= usual.low && many <= usual.high) || (many - usual.expected).abs() < LEAST {
                        continue;
                    }
                    // Skips days on which chance changed more than the inserted cause did.
                    if truth.is_some() && stream.made / (many - usual.expected) < 0.5 {
                        continue;
                    }
                    let terms = terms(&posts, &words, usual.expected);
                    let compared = Compared { now: items(today, &posts), earlier: &before, terms: &terms };
                    let cause = why::volume_cause(&compared, &usual);
                    by_scatter[at][case].add(cause.as_ref(), *truth);
                    if let Some(cause) = cause.filter(|cause| cause.dimension != Dimension::Term && case < 6) {
                        rest.days += 1;
                        rest.right += u32::from(cause.rest_as_usual);
                    }
                }
            });
        }
    }
    let (table, poor) = table(&VOLUMES.map(|(name, _, _)| name), &by_scatter);
    assert!(poor.is_empty(), "{poor:#?}\n{table}");
    assert!(rest.percent(rest.right) > 95.0, "without the cause as usual: {} %", rest.percent(rest.right));
    check_table("docs/dev/report-measured.md", "causes of volume", &table);
}

/// Alerts count near-copies once, and have wider limits than reports. So no text causes a rise, and three cases are
/// left: two causes, and none. `cause_reported` tests the terms as the product finds them, and the alerts themselves.
#[test]
fn the_named_cause_of_a_rise_in_an_alert_is_the_real_one() {
    const FIRING: [&str; 3] = ["one author", "one term in many different posts", "none: everything rose alike"];
    let cases = FIRING.map(|name| VOLUMES.iter().find(|(case, ..)| *case == name).unwrap());
    for (scatter, cv) in SCATTERS {
        let mut reported = [Reported::default(); FIRING.len()];
        let (mean, history) = CELLS[1];
        each_stream(mean, cv, history, 41, |stream, today, earlier| {
            let before: Vec<DayItems<'_>> =
                earlier.iter().map(|(day, posts)| items(day, posts).merge_copies()).collect();
            let counts: Vec<(Day, u64)> = before.iter().map(|day| (day.day, day.items.len() as u64)).collect();
            assert!(earlier.iter().zip(&before).any(|((_, posts), merged)| posts.len() > merged.items.len()));
            let usual = usual_range(today, &counts).unwrap();
            let words = usual_words(earlier);
            for ((_, posts, truth), reported) in cases.iter().zip(&mut reported) {
                let posts = posts(stream, today);
                let now = items(today, &posts).merge_copies();
                let many = now.items.len() as f64;
                if many <= usual.far || many < LEAST {
                    continue;
                }
                // Skips days on which chance changed more than the inserted cause did.
                if truth.is_some() && stream.made / (many - usual.expected) < 0.5 {
                    continue;
                }
                let terms = terms(&posts, &words, usual.expected);
                let compared = Compared { now, earlier: &before, terms: &terms };
                reported.add(why::volume_cause(&compared, &usual).as_ref(), *truth);
            }
        });
        for (name, reported) in FIRING.iter().zip(reported) {
            assert!(reported.days >= FEW, "{name}, {scatter}: {} alerts", reported.days);
            assert!(reported.percent(reported.right) >= 95.0, "{name}, {scatter}: {}", reported.cell());
        }
    }
}

const TONES: [Case; 10] = [
    (
        "one negative text by many authors",
        |s, day| {
            with(s, day, |s| {
                copied(s, s.mean * 0.8, "copied").into_iter().map(|post| Post { negative: true, ..post }).collect()
            })
        },
        Some((Dimension::Text, "copied")),
    ),
    (
        "one author who complains",
        |s, day| {
            with(s, day, |s| {
                s.more(s.mean * 0.8, |post, _| {
                    post.author = "flooder".to_owned();
                    post.negative = true;
                })
            })
        },
        Some((Dimension::Author, "flooder")),
    ),
    (
        "one term in many negative posts",
        |s, day| {
            with(s, day, |s| {
                s.more(s.mean * 0.8, |post, _| {
                    post.words.push("fire");
                    post.negative = true;
                })
            })
        },
        Some((Dimension::Term, "fire")),
    ),
    (
        "one source sounds otherwise",
        |s, day| s.day(day, Mood { negative: [0.6, 0.0, 0.0], ..CALM }),
        Some((Dimension::Source, "social")),
    ),
    (
        "a source that brings three times as many, all negative",
        |s, day| s.day(day, Mood { factors: [1.0, 1.0, 4.0], negative: [0.0, 0.0, 0.75] }),
        Some((Dimension::Source, "hn")),
    ),
    (
        "one neutral text by many authors: less negative",
        |s, day| {
            with(s, day, |s| {
                copied(s, s.mean * 4.0, "copied").into_iter().map(|post| Post { negative: false, ..post }).collect()
            })
        },
        Some((Dimension::Text, "copied")),
    ),
    ("none: everything sounds more negative", |s, day| s.day(day, Mood { negative: [0.25; 3], ..CALM }), None),
    ("none: everything sounds less negative", |s, day| s.day(day, Mood { negative: [-0.2; 3], ..CALM }), None),
    (
        "none: everything sounds more negative and rose",
        |s, day| s.day(day, Mood { negative: [0.25; 3], factors: [3.0; 3] }),
        None,
    ),
    (
        "none: everything sounds more negative, and there is one neutral text",
        |s, day| {
            let mut posts = s.day(day, Mood { negative: [0.4; 3], ..CALM });
            posts.extend(copied(s, s.mean * 0.2, "copied").into_iter().map(|post| Post { negative: false, ..post }));
            posts
        },
        None,
    ),
];

#[test]
fn the_named_cause_of_an_unusual_tone_is_the_real_one() {
    let mut by_scatter = vec![vec![Reported::default(); TONES.len()]; SCATTERS.len()];
    for (at, (_, cv)) in SCATTERS.iter().enumerate() {
        for (mean, history) in CELLS {
            each_stream(mean, *cv, history, 71 + at as u64, |stream, today, earlier| {
                let shares: Vec<Share> = earlier
                    .iter()
                    .filter_map(|(_, posts)| Post::negative(posts))
                    .filter(|share| share.whole >= LEAST_SCORED)
                    .collect();
                let words = usual_words(earlier);
                let before: Vec<DayItems<'_>> = earlier.iter().map(|(day, posts)| items(day, posts)).collect();
                let expected = before.iter().map(|day| day.items.len()).sum::<usize>() as f64 / before.len() as f64;
                for (case, (_, posts, truth)) in TONES.iter().enumerate() {
                    let posts = posts(stream, today);
                    let Some(now) = Post::negative(&posts).filter(|now| now.whole >= LEAST_SCORED) else { continue };
                    let Ok(usual) = usual_share(now.whole, &shares) else { continue };
                    if now.share >= usual.low && now.share <= usual.high {
                        continue;
                    }
                    // Skips days on which chance changed more than the inserted cause did.
                    let calm = Post::negative_without_cause(&posts).map_or(0.0, |share| share.share);
                    let part = 1.0 - (calm - usual.expected) / (now.share - usual.expected);
                    if truth.is_some() && part < 0.5 {
                        continue;
                    }
                    let terms = terms(&posts, &words, expected);
                    let compared = Compared { now: items(today, &posts), earlier: &before, terms: &terms };
                    let cause = why::tone_cause(&compared, &usual, LEAST_SCORED);
                    by_scatter[at][case].add(cause.as_ref(), *truth);
                }
            });
        }
    }
    let (table, poor) = table(&TONES.map(|(name, _, _)| name), &by_scatter);
    assert!(poor.is_empty(), "{poor:#?}\n{table}");
    check_table("docs/dev/report-measured.md", "causes of tone", &table);
}
