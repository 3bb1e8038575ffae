//! The posts of the built-in corpus: a pure function of query and hour. Each hour brings one new post. Most posts stay
//! a day, some vanish early, some disappear for a few hours, a few are copied by others, and about one in ten is older
//! than requested, as in the real service.

use super::super::random::{SeededRng, seed_of};
use super::entry::{Author, CorpusQuery, Counts, HOUR_MS, Post, Quirk};
use super::phrases::{ENGLISH, OTHER, PEOPLE, SPAM, TAILS};

/// The platform's epoch: the upper bits of an id are milliseconds since then.
const SNOWFLAKE_EPOCH_MS: i64 = 1_288_834_974_657;
/// In a one-day window, posts of up to this many hours ago stay inside the window for the whole hour.
const DAY_AGES: i64 = 23;
/// How far outside the window a post may be and still be shown, in hours.
const LATE_AGES: i64 = 46;
/// The maximum length of a window, in hours.
const MAX_HOURS_BACK: i64 = 31 * 24;
/// The maximum length of a query repeated in a sentence, in characters.
const SHOWN_CHARS: usize = 60;

/// Returns the posts for a query, newest first. Their texts are about `about`: the query, or the subject of a prompt.
pub(crate) fn posts(about: &str, corpus_query: &CorpusQuery<'_>) -> Vec<Post> {
    let (seed, hour) = (seed_of(corpus_query.query), corpus_query.hour.0);
    let subject = subject(about);
    let back = corpus_query.hours_back.clamp(24, MAX_HOURS_BACK);
    // Thin out a longer window, so that a week does not have seven times the posts of a day.
    let stride = back / 24;
    let mut posts = Vec::new();
    for age in 1..back {
        let born = hour - age;
        let is_kept = age <= 8 || stride <= 1 || born.rem_euclid(stride) == 0;
        if is_kept && is_visible(seed, born, age) {
            posts.push(original(seed, &subject, born, age));
        }
    }
    for source in hour - DAY_AGES - 4..hour {
        for copy in copies(seed, source) {
            let age = hour - copy.born;
            if (1..=DAY_AGES).contains(&age) {
                posts.push(copy_post(seed, &subject, source, &copy, age));
            }
        }
    }
    for age in back + 1..=back + LATE_AGES {
        if SeededRng::of("late", seed, &[hour - age]).one_in(20) {
            posts.push(original(seed, &subject, hour - age, age));
        }
    }
    posts.sort_by(|a, b| b.published.cmp(&a.published).then_with(|| a.id.cmp(&b.id)));
    posts.truncate(corpus_query.limit);
    posts
}

/// Returns all posts of a window, without thinning out a long one, and none from outside it.
pub(crate) fn archive(corpus_query: &CorpusQuery<'_>) -> Vec<Post> {
    let (seed, hour) = (seed_of(corpus_query.query), corpus_query.hour.0);
    let subject = subject(corpus_query.query);
    let mut posts = Vec::new();
    for age in 1..=corpus_query.hours_back {
        let born = hour.saturating_sub(age);
        let mut of_hour = Vec::new();
        if is_visible(seed, born, age) {
            of_hour.push(original(seed, &subject, born, age));
        }
        for source in born.saturating_sub(3)..born {
            let copies = copies(seed, source).into_iter().filter(|copy| copy.born == born);
            of_hour.extend(copies.map(|copy| copy_post(seed, &subject, source, &copy, age)));
        }
        of_hour.sort_by(|a, b| b.published.cmp(&a.published).then_with(|| a.id.cmp(&b.id)));
        posts.append(&mut of_hour);
        if posts.len() >= corpus_query.limit {
            break;
        }
    }
    posts.truncate(corpus_query.limit);
    posts
}

/// Returns the post created in an hour, as it looks `age` hours later.
pub(crate) fn original(seed: u64, subject: &str, born: i64, age: i64) -> Post {
    let mut rng = SeededRng::of("post", seed, &[born]);
    let (lang, sentence) = if rng.one_in(6) {
        let at = usize::try_from(rng.below(OTHER.len() as u64)).unwrap_or(0);
        OTHER.get(at).copied().unwrap_or(("en", "{q}"))
    } else {
        ("en", rng.pick(ENGLISH).unwrap_or("{q}"))
    };
    let text = fill_template(&format!("{sentence}{}", rng.pick(TAILS).unwrap_or("")), subject, &mut rng);
    let quirk = match rng.below(24) {
        0 | 1 => Quirk::NoUser,
        2 => Quirk::NoUrl,
        3 | 4 => Quirk::UserIsHandle,
        5 => Quirk::NumericId,
        6 => Quirk::IdInUrl,
        7 => Quirk::Undated,
        8 => Quirk::TextAndHandle,
        9..=15 => Quirk::IsoDate,
        _ => Quirk::Full,
    };
    Post { is_repost: false, quirk, ..post_at(seed, born, age, 0, text, lang) }
}

/// Whether a post is shown at an age: most posts always, some only while young, some with a gap.
fn is_visible(seed: u64, born: i64, age: i64) -> bool {
    let mut rng = SeededRng::of("life", seed, &[born]);
    let small = |n: u64| i64::try_from(n).unwrap_or(0);
    match rng.below(8) {
        0 | 1 => age < 8 + small(rng.below(8)),
        2 | 3 => {
            let from = 3 + small(rng.below(8));
            !(from..from + 2 + small(rng.below(3))).contains(&age)
        }
        _ => true,
    }
}

/// One copy of a post: when it was created, its number, and whether it is spam rather than a repost.
struct Copy {
    born: i64,
    number: i64,
    spam: bool,
}

/// Returns the copies that others made of the post created in an hour.
fn copies(seed: u64, source: i64) -> Vec<Copy> {
    let mut rng = SeededRng::of("copies", seed, &[source]);
    if !rng.one_in(10) {
        return Vec::new();
    }
    let spam = rng.one_in(2);
    let count = if spam { 2 + rng.below(2) } else { 1 };
    (1..=i64::try_from(count).unwrap_or(1))
        .map(|number| Copy { born: source + 1 + i64::try_from(rng.below(3)).unwrap_or(0), number, spam })
        .collect()
}

/// Returns a copy as it looks `age` hours after its creation.
fn copy_post(seed: u64, subject: &str, source: i64, copy: &Copy, age: i64) -> Post {
    let (text, lang, is_repost) = if copy.spam {
        let template = SeededRng::of("spam", seed, &[source]).pick(SPAM).unwrap_or("{q}");
        (
            fill_template(template, subject, &mut SeededRng::of("spam text", seed, &[source, copy.number])),
            "en".to_owned(),
            false,
        )
    } else {
        let first = original(seed, subject, source, age);
        let handle = first.author.map(|author| author.handle).unwrap_or_default();
        (format!("RT @{handle}: {}", first.text), first.lang.unwrap_or_default(), true)
    };
    Post {
        is_repost,
        quirk: Quirk::Full,
        ..post_at(seed, copy.born, age, copy.number + 10 * (source % 100), text, &lang)
    }
}

/// Creates the `number`th post of an hour, with id, author, time and reactions.
fn post_at(seed: u64, born: i64, age: i64, number: i64, text: String, lang: &str) -> Post {
    let mut rng = SeededRng::of("birth", seed, &[born, number]);
    let within = i64::try_from(rng.below(3_599)).unwrap_or(0) * 1_000;
    let published = born.saturating_mul(HOUR_MS).saturating_add(within);
    let since_epoch = u64::try_from(published.saturating_sub(SNOWFLAKE_EPOCH_MS)).unwrap_or(0);
    // 41 bits of time and 22 random ones: an id that sorts and dates like the platform's own.
    let id = ((since_epoch & ((1 << 41) - 1)) << 22) | (rng.next() & ((1 << 22) - 1));
    let person = rng.pick(PEOPLE).unwrap_or("amber");
    let fame = rng.below(4);
    let author = Author {
        handle: format!("sandbox_{person}"),
        name: format!("Sandbox {}{}", person[..1].to_uppercase(), &person[1..]),
        followers: Some(10_u64.pow(1 + u32::try_from(fame).unwrap_or(0)) + rng.below(90)),
    };
    // Reactions rise with age up to a ceiling, and only from hour to hour.
    let ceiling = rng.below(20) * (1 + fame * fame * 5);
    let age = u64::try_from(age.max(0)).unwrap_or(0);
    let likes = ceiling * age / (age + 5);
    Post {
        id: Some(id.to_string()),
        text,
        author: Some(author),
        published,
        lang: Some(lang.to_owned()),
        counts: Some(Counts { likes, reposts: likes / 6, replies: likes / 9 }),
        is_repost: false,
        quirk: Quirk::Full,
    }
}

/// Fills the placeholders of a sentence. Placeholders inside the query are not filled.
pub(crate) fn fill_template(sentence: &str, subject: &str, rng: &mut SeededRng) -> String {
    let mut text = String::with_capacity(sentence.len() + subject.len());
    let mut rest = sentence;
    while let Some(at) = rest.find('{') {
        text.push_str(&rest[..at]);
        let place = rest.get(at..at + 3).unwrap_or_default();
        match place {
            "{q}" => text.push_str(subject),
            "{n}" => text.push_str(&(2 + rng.below(46)).to_string()),
            "{h}" => text.push_str(rng.pick(PEOPLE).unwrap_or("amber")),
            "{p}" => {
                text.push_str("@sandbox_");
                text.push_str(rng.pick(PEOPLE).unwrap_or("amber"));
            }
            _ => {
                text.push('{');
                rest = &rest[at + 1..];
                continue;
            }
        }
        rest = &rest[at + 3..];
    }
    text.push_str(rest);
    text
}

/// Returns the query as sentences name it: its words without operators, cut to a length that fits into a post.
pub(crate) fn subject(query: &str) -> String {
    let words: Vec<&str> = query
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty() && *word != "OR" && !word.starts_with('-'))
        .collect();
    let mut subject = String::new();
    for word in words {
        if !subject.is_empty() && subject.chars().count() + word.chars().count() >= SHOWN_CHARS {
            break;
        }
        if !subject.is_empty() {
            subject.push(' ');
        }
        subject.extend(word.chars().take(SHOWN_CHARS));
    }
    if subject.is_empty() { "it".to_owned() } else { subject }
}

#[cfg(test)]
mod tests {
    use super::super::Hour;
    use super::*;

    fn day(query: &str, hour: i64) -> Vec<Post> {
        posts(query, &CorpusQuery { query, hour: Hour(hour), hours_back: 24, limit: 100 })
    }

    fn ids(posts: &[Post]) -> Vec<String> {
        posts.iter().filter_map(|post| post.id.clone()).collect()
    }

    const NOON: i64 = 492_560;

    #[test]
    fn a_day_has_about_twenty_posts_of_which_one_in_ten_is_older() {
        let (mut total, mut old) = (0, 0);
        for query in ["rust language", "coffee", "地震", "x", "\"a b\" OR c -d", "{q} {n}"] {
            for hour in NOON..NOON + 24 {
                let found = day(query, hour);
                assert!((12..=34).contains(&found.len()), "{query} {hour}: {}", found.len());
                let subject = subject(query);
                assert!(found.iter().all(|post| post.text.contains(&subject)), "{query}");
                let outside = (hour + 1) * HOUR_MS - 24 * HOUR_MS;
                (total, old) = (total + found.len(), old + found.iter().filter(|p| p.published < outside).count());
            }
        }
        assert!((total / 20..total / 6).contains(&old), "{old} of {total}");
    }

    #[test]
    fn each_hour_adds_a_post_and_ids_are_unique() {
        let mut texts = std::collections::HashMap::new();
        let mut before = day("coffee", NOON - 1);
        for hour in NOON..NOON + 100 {
            let now = day("coffee", hour);
            let known = ids(&before);
            assert!(ids(&now).iter().any(|id| !known.contains(id)), "nothing new in hour {hour}");
            for post in &now {
                let first = texts.entry(post.id.clone()).or_insert_with(|| post.text.clone());
                assert_eq!(*first, post.text);
            }
            before = now;
        }
    }

    #[test]
    fn posts_vanish_reappear_gather_likes_and_are_copied() {
        let hours: Vec<Vec<Post>> = (NOON..NOON + 72).map(|hour| day("coffee", hour)).collect();
        let reappeared =
            hours.windows(8).any(|w| ids(&w[0]).iter().any(|id| !ids(&w[3]).contains(id) && ids(&w[7]).contains(id)));
        assert!(reappeared, "no post came back");
        let likes = |hour: usize, id: &str| {
            hours[hour].iter().find(|post| post.id.as_deref() == Some(id)).and_then(|post| post.counts).map(|c| c.likes)
        };
        assert!(ids(&hours[0]).iter().any(|id| likes(6, id) > likes(0, id)), "no reaction rose");
        assert!(hours.iter().flatten().any(|post| post.is_repost && post.text.starts_with("RT @sandbox_")));
        assert!(hours.iter().flatten().any(|post| post.text.contains("offers.example")));
        assert!(hours.iter().flatten().any(|post| post.lang.as_deref() == Some("ja")));
    }

    #[test]
    fn an_invented_id_encodes_the_time_like_a_platform_id() {
        let posts = day("coffee", NOON);
        assert!(!posts.is_empty());
        for post in posts {
            let id: u64 = post.id.unwrap().parse().unwrap();
            assert_eq!(i64::try_from(id >> 22).unwrap() + SNOWFLAKE_EPOCH_MS, post.published);
        }
    }

    #[test]
    fn posts_exist_for_any_time_and_any_query() {
        for hour in [0, -1, i64::MAX / HOUR_MS - 1, i64::MIN / HOUR_MS + 800] {
            assert!(!day("?", hour).is_empty());
        }
        assert_eq!(subject("  -x  "), "it");
        assert_eq!(subject(&"é".repeat(500)).chars().count(), SHOWN_CHARS);
        assert_eq!(fill_template("{q} {x {n", "a{q}", &mut SeededRng::of("t", 0, &[])), "a{q} {x {n");
    }
}
