//! The pages of the built-in corpus: a pure function of query and hour. There are two evergreens, a new article every
//! three hours, and sometimes the address of a post. Addresses vary as real links do (tracking parameters, `www.`,
//! fragments, `http`). Only reserved host names are used, except for the addresses of posts.

use super::super::random::{SeededRng, seed_of};
use super::entry::{CorpusQuery, HOUR_MS, Page, PageDate};
use super::invented::{fill_template, original, subject};
use super::phrases::{HOSTS, SNIPPETS, TITLES};

/// Hours between two articles.
const PACE: i64 = 3;
/// The number of articles found: more than any request may ask for.
const MAX_DAYS: i64 = 120;
/// The number of pages that are always there.
const EVERGREENS: i64 = 2;
/// The position of a post's address in the list, if there is one.
const POST_PLACE: usize = 3;

/// Returns the pages for a query or the subject of a prompt: the newest article, the evergreens, then older articles.
pub(crate) fn pages(about: &str, corpus_query: &CorpusQuery<'_>) -> Vec<Page> {
    let (seed, hour) = (seed_of(corpus_query.query), corpus_query.hour.0);
    let subject = subject(about);
    let newest = hour.div_euclid(PACE) - 1;
    let article = |slot: i64| page(seed, &subject, slot, hour);
    let mut pages = vec![article(newest)];
    // Evergreens have numbers that no real slot has.
    pages.extend((1..=EVERGREENS).map(|n| page(seed, &subject, i64::MIN + n, hour)));
    pages.extend((1..MAX_DAYS).map(|back| article(newest - back)));
    if let Some(post) = post_page(seed, &subject, hour) {
        pages.insert(POST_PLACE, post);
    }
    pages.truncate(corpus_query.limit);
    pages
}

/// Returns the page of a slot.
fn page(seed: u64, subject: &str, slot: i64, hour: i64) -> Page {
    let mut rng = SeededRng::of("page", seed, &[slot]);
    let evergreen = slot < i64::MIN / 2;
    let title = fill_template(rng.pick(TITLES).unwrap_or("{q}"), subject, &mut rng);
    let snippet = fill_template(rng.pick(SNIPPETS).unwrap_or("{q}"), subject, &mut rng);
    let host = rng.pick(HOSTS).unwrap_or("example.com");
    let slug = slug(&title);
    let number = rng.below(90_000) + 10_000;
    let suffix = match rng.below(12) {
        0 | 1 => "?utm_source=newsletter&utm_medium=email",
        2 => "?ref=home#comments",
        3 => "#top",
        4 => "?b=2&a=1",
        _ => "",
    };
    let scheme = if rng.one_in(10) { "http" } else { "https" };
    let published =
        slot.saturating_mul(PACE * HOUR_MS).saturating_add(i64::try_from(rng.below(179)).unwrap_or(0) * 60_000);
    let hours_ago = hour.saturating_sub(slot.saturating_mul(PACE));
    let date = match rng.below(4) {
        _ if evergreen => PageDate::Unknown,
        0 if hours_ago < 24 => PageDate::HoursAgo(hours_ago),
        0 => PageDate::DaysAgo(hours_ago / 24),
        1 => PageDate::Unknown,
        _ => PageDate::Iso(published),
    };
    let path = if evergreen { "guide" } else { "articles" };
    Page { url: format!("{scheme}://{host}/{path}/{slug}-{number}{suffix}"), title, snippet, date }
}

/// Returns a recent post as a web search finds it: the same for six hours, in one of three such periods.
fn post_page(seed: u64, subject: &str, hour: i64) -> Option<Page> {
    let span = hour.div_euclid(6);
    if !SeededRng::of("post page", seed, &[span]).one_in(3) {
        return None;
    }
    let post = original(seed, subject, span * 6 - 2, 1);
    let (id, author) = (post.id?, post.author?);
    Some(Page {
        url: format!("https://twitter.com/{}/status/{id}?s=20", author.handle),
        title: format!("{} on X: \"{}\"", author.name, post.text),
        snippet: post.text,
        date: PageDate::Unknown,
    })
}

/// Returns the words of a title for an address, or a number for a title without ASCII letters or digits.
fn slug(title: &str) -> String {
    let words: Vec<String> = title
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(8)
        .map(|word| word.chars().take(24).collect::<String>().to_ascii_lowercase())
        .collect();
    if words.is_empty() { (seed_of(title) % 1_000_000).to_string() } else { words.join("-") }
}

#[cfg(test)]
mod tests {
    use super::super::Hour;
    use super::*;

    fn find_pages(query: &str, hour: i64, limit: usize) -> Vec<Page> {
        pages(query, &CorpusQuery { query, hour: Hour(hour), hours_back: 24, limit })
    }

    #[test]
    fn pages_use_reserved_hosts_and_reach_the_limit() {
        for query in ["rust language", "地震", "<b>&\"'", "a/b?c#d"] {
            for limit in [1, 5, 100] {
                assert_eq!(find_pages(query, 492_560, limit).len(), limit);
            }
            for page in find_pages(query, 492_560, 100) {
                let url = url::Url::parse(&page.url).map(|url| url.host_str().unwrap_or_default().to_owned());
                let host = url.unwrap_or_default();
                let reserved = [".example", "example.com", "example.org"].iter().any(|end| host.ends_with(end));
                assert!(reserved || host == "twitter.com", "{}", page.url);
            }
        }
    }

    #[test]
    fn a_new_article_comes_every_three_hours_and_old_ones_keep_their_address() {
        let urls = |hour| find_pages("coffee", hour, 60).into_iter().map(|page| page.url).collect::<Vec<_>>();
        let (first, later) = (urls(492_561), urls(492_564));
        assert!(!first.contains(&later[0]));
        assert!(later[1..].iter().filter(|url| first.contains(url)).count() >= 55);
    }

    #[test]
    fn page_dates_have_every_form_and_some_pages_are_posts() {
        let all: Vec<Page> = (0..40).flat_map(|n| find_pages("coffee", 492_560 + n * 6, 20)).collect();
        assert!(all.iter().any(|page| matches!(page.date, PageDate::Iso(_))));
        assert!(all.iter().any(|page| matches!(page.date, PageDate::HoursAgo(1..=23))));
        assert!(all.iter().any(|page| matches!(page.date, PageDate::DaysAgo(1..))));
        assert!(all.iter().any(|page| page.date == PageDate::Unknown));
        let posts = all.iter().filter(|page| page.url.contains("/status/")).count();
        assert!((4..=30).contains(&posts), "{posts}");
    }
}
