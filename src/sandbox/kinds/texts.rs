//! Helpers for several kinds: the text and title of a post, escaping, date formats.

use crate::sandbox::corpus::{Corpus, CorpusQuery, HOUR_MS, Hour, Post};
use crate::sandbox::random::SeededRng;

/// How far back these providers have posts, in hours: enough posts of a query to reach their limits.
pub(super) const KNOWN_HOURS: i64 = 90 * 24;
/// The maximum number of posts used for one request.
const MOST_POSTS: usize = 50_000;
/// The maximum length of a query, in characters; the rest is ignored.
const QUERY_CHARS: usize = 4_000;
/// The maximum length of a title, as on Hacker News.
const TITLE_CHARS: usize = 80;

/// Returns the posts of a query published in `since..until` (milliseconds), newest first.
pub(super) fn posts(corpus: &Corpus, query: &str, hour: Hour, since: Option<i64>, until: Option<i64>) -> Vec<Post> {
    let hours_back = since.map_or(KNOWN_HOURS, |since| hour.0.saturating_sub(since.div_euclid(HOUR_MS)));
    let query: String = query.chars().take(QUERY_CHARS).collect();
    let corpus_query =
        CorpusQuery { query: &query, hour, hours_back: hours_back.clamp(1, KNOWN_HOURS), limit: MOST_POSTS };
    let mut posts = corpus.archive(&corpus_query);
    posts.retain(|post| {
        since.is_none_or(|since| post.published >= since) && until.is_none_or(|until| post.published < until)
    });
    posts
}

/// Returns a permanent key of a post.
pub(super) fn key(post: &Post) -> &str {
    post.id.as_deref().unwrap_or(&post.text)
}

/// Returns its text without the prefix of a repost, which these providers do not have.
pub(super) fn post_text(post: &Post) -> &str {
    match (post.is_repost, post.text.strip_prefix("RT @").and_then(|rest| rest.split_once(": "))) {
        (true, Some((_, words))) => words,
        _ => &post.text,
    }
}

/// Returns the handle of its author.
pub(super) fn handle(post: &Post) -> &str {
    post.author.as_ref().map_or("somebody", |author| author.handle.as_str())
}

/// Returns the first sentence of a text, shortened, on one line.
pub(super) fn title(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = [". ", "! ", "? ", "。"].iter().filter_map(|stop| line.find(stop)).min().unwrap_or(line.len());
    cut(&line[..end], TITLE_CHARS)
}

/// Returns a text, shortened with `…` if it is too long.
pub(super) fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some(_) => text.chars().take(chars.saturating_sub(1)).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// Escapes a text for HTML or XML. Replaces characters that XML does not allow by U+FFFD.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Formats an instant in UTC with a `strftime` format.
pub(super) fn date(millis: i64, form: &str) -> String {
    let at = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    at.strftime(form).to_string()
}

/// `2026-03-11T09:00:00Z`.
pub(super) const ISO: &str = "%Y-%m-%dT%H:%M:%SZ";
/// `Wed, 11 Mar 2026 09:00:00 GMT`, as in HTTP.
pub(super) const HTTP_DATE: &str = "%a, %d %b %Y %H:%M:%S GMT";

/// Returns `length` characters of an alphabet, drawn from a seed.
pub(super) fn random_name(parts: &[&[u8]], alphabet: &[u8], length: usize) -> String {
    let mut rng = SeededRng::new(parts);
    let letter = |at: u64| usize::try_from(at).ok().and_then(|at| alphabet.get(at)).copied().unwrap_or(b'a');
    (0..length).map(|_| char::from(letter(rng.below(alphabet.len() as u64)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_one_short_line() {
        assert_eq!(title("Tea is\n great. It is."), "Tea is great");
        assert_eq!(title(&"é".repeat(500)).chars().count(), TITLE_CHARS);
        assert_eq!(title(""), "");
        assert_eq!(cut("abc", 3), "abc");
    }

    #[test]
    fn texts_are_escaped_for_markup() {
        assert_eq!(escaped("<a b='c'>&\"\u{0}\n"), "&lt;a b=&#39;c&#39;&gt;&amp;&quot;\u{fffd}\n");
    }

    #[test]
    fn posts_are_the_same_in_every_requested_window() {
        let hour = Hour(492_560);
        let of = |hours: i64| {
            let since = hour.start() - hours * HOUR_MS;
            posts(&Corpus::Invented, "coffee", hour, Some(since), None)
        };
        let (day, week) = (of(24), of(168));
        assert!((15..40).contains(&day.len()) && week.len() > 5 * day.len() && week.starts_with(&day));
        assert!(week.windows(2).all(|two| two[0].published >= two[1].published));
        assert!(posts(&Corpus::Invented, "coffee", hour, None, None).len() > 1_000);
    }
}
