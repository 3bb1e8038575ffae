//! Decides whether a reply of posts was full: cut by the service, so that older posts of its window are missing. A
//! request with a limit shows this itself; for all others it is inferred from earlier replies to the same question.
//! Pure. `look_back` applies the result to coverage.

use std::collections::HashSet;
use std::time::Duration;

use super::ReplySpan;
use crate::model::{EMPTY_REPLY, Finding, QueryHistory, Span, Time};
use crate::search::covers_window_start;

/// Shorter replies never count as full: no known service cuts there, and quiet topics would show holes.
const LEAST: usize = 10;
/// Shorter replies do not count as full by their number alone, however often it repeats.
const LEAST_BY_NUMBER: usize = 20;
/// Numbers at which services usually cut.
const USUAL_CAPS: [usize; 15] = [20, 25, 30, 40, 50, 60, 75, 80, 100, 120, 150, 200, 250, 500, 1_000];
/// If this many known posts are missing, all older than the reply's oldest, they were not all deleted.
const MISSING: usize = 3;
/// In a whole reply, the gap before its oldest post is about as long as the usual distance between its posts. If the
/// gap is this many times as long, posts are missing.
const PAUSES: i64 = 2;
/// This many earlier replies of the same length are no coincidence.
const REPEATED: usize = 2;
/// An empty reply is no coincidence if this many posts are predicted.
const MANY: f64 = 10.0;
/// A service that takes dates may return posts from this long after the requested span.
const NEXT_DAY: Duration = Duration::from_secs(86_400);
/// Number of replies that a prediction needs.
const REPLIES: usize = 5;
/// How old the last reply may be: after that, the topic may have ended.
const RECENT: Duration = Duration::from_secs(7 * 86_400);

/// Returns what a reply shows that is as long as the request allows.
pub(in crate::collect) fn of_full(posts: &[Finding], requested: Span, recall: &QueryHistory) -> ReplySpan {
    let from = Span { until: oldest(posts, requested).unwrap_or(requested.from), ..requested };
    let is_whole = reaches_start(posts, requested) && missing(posts, from, recall) < MISSING;
    if is_whole { ReplySpan::Whole } else { ReplySpan::FromOldest }
}

/// Whether the posts reach back past the start of the span.
fn reaches_start(posts: &[Finding], requested: Span) -> bool {
    covers_window_start(posts.iter().filter_map(|post| post.found.published_at), requested.from)
}

/// Returns the date of the oldest post inside the span.
fn oldest(posts: &[Finding], requested: Span) -> Option<Time> {
    posts.iter().filter_map(|post| post.found.published_at).filter(|at| *at > requested.from).min()
}

/// Counts known posts of a span that are missing from the reply.
fn missing(posts: &[Finding], span: Span, recall: &QueryHistory) -> usize {
    let present: HashSet<&str> = posts.iter().flat_map(|post| post.keys.iter().map(String::as_str)).collect();
    let gone = |(at, key): &&(Time, String)| *at >= span.from && *at < span.until && !present.contains(key.as_str());
    recall.shown.iter().filter(gone).count()
}

/// Returns what an empty reply shows of the requested span. It shows nothing if the query showed several posts of the
/// span before, or if even the quietest of its latest replies would predict many: then the service is broken. It counts
/// as broken until it returns something, even when the known posts have become too old for the span.
pub(in crate::collect) fn of_empty(requested: Span, recall: &QueryHistory) -> ReplySpan {
    let stays_broken = recall.was_emptied && is_recent(requested, recall);
    let is_whole = !stays_broken && missing(&[], requested, recall) < MISSING && predicted(requested, recall) < MANY;
    if is_whole { ReplySpan::Whole } else { ReplySpan::Nothing }
}

/// Adds to what a search says that its reply was empty and shows nothing, and why it looked back further, if it did.
pub(in crate::collect) fn note_empty(reason: &mut Option<String>, why: Option<&str>) {
    let notes: Vec<&str> = reason.as_deref().into_iter().chain([EMPTY_REPLY]).chain(why).collect();
    *reason = Some(notes.join("; "));
}

/// Whether the last reply is not so old that the topic may have ended since.
fn is_recent(requested: Span, recall: &QueryHistory) -> bool {
    recall.before.is_some_and(|before| requested.until.since(before.until) <= RECENT)
}

/// The number of posts that the quietest of the latest replies predicts for a span; 0 if there are few replies, or the last
/// one is old.
#[expect(clippy::cast_precision_loss, reason = "milliseconds of some days")]
fn predicted(requested: Span, recall: &QueryHistory) -> f64 {
    if !is_recent(requested, recall) || recall.sizes.len() < REPLIES {
        return 0.0;
    }
    let length = |span: Span| (span.until.0 - span.from.0).max(1) as f64;
    let rate = |(size, span): (&i64, &Span)| *size as f64 / length(*span);
    let quietest = recall.sizes.iter().zip(&recall.spans).map(rate).fold(f64::INFINITY, f64::min);
    quietest * length(requested)
}

/// The note of a search whose reply to a past span has posts from after the span.
pub(in crate::collect) const DATES_IGNORED: &str =
    "the reply has posts from after the time asked for: the service ignored the dates";

/// Returns what a reply shows if the request named a past span and the service may have ignored its end. Posts of the
/// next day prove nothing: a service may include the last day, in its own time zone.
pub(in crate::collect) fn unless_unfiltered(
    reply_span: ReplySpan,
    posts: &[Finding],
    requested: Span,
    now: Time,
) -> ReplySpan {
    let any = |from: Time, until: Time| {
        posts.iter().any(|post| post.found.published_at.is_some_and(|at| at >= from && at < until))
    };
    // A post from the future has a wrong date. A span that ends with the search has only those after it.
    let end = requested.until;
    let unfiltered = any(end.plus(NEXT_DAY), now) || any(end, now) && !any(requested.from, end);
    if unfiltered && reply_span == ReplySpan::Whole { ReplySpan::Unfiltered } else { reply_span }
}

/// Whether a reply was full: the service had more than it returned.
pub(in crate::collect) fn is_full(reply_span: ReplySpan) -> bool {
    matches!(reply_span, ReplySpan::FromOldest | ReplySpan::Sample)
}

/// Returns what a reply shows of the requested span, by its posts and by earlier replies to the question. If the
/// request `named` a number, the usual lengths of services say nothing; a shorter reply is full if it is the longest and
/// its length came up repeatedly, as the service may cut below that number.
pub(in crate::collect) fn reply_span(
    posts: &[Finding],
    unreadable: i64,
    requested: Span,
    recall: &QueryHistory,
    named: bool,
) -> ReplySpan {
    let readable = posts.iter().filter_map(|post| post.keys.first()).collect::<HashSet<_>>().len();
    // An unreadable entry took a place too.
    let many = readable + usize::try_from(unreadable).unwrap_or(0);
    let dates: Vec<Time> = posts.iter().filter_map(|post| post.found.published_at).collect();
    let repeated = recall.sizes.iter().filter(|size| usize::try_from(**size) == Ok(many)).count();
    let most = recall.sizes.iter().filter_map(|size| usize::try_from(*size).ok()).max().unwrap_or(0);
    if many < LEAST {
        return ReplySpan::Whole;
    }
    if dates.is_empty() {
        // Without dates only the length can tell.
        return if many >= most && repeated >= REPEATED { ReplySpan::Sample } else { ReplySpan::Whole };
    }
    let inside = || dates.iter().filter(|at| **at > requested.from);
    let Some((oldest, newest)) = inside().min().zip(inside().max()) else { return ReplySpan::Whole };
    let missing = |from: Time, until: Time| missing(posts, Span { from, until }, recall);
    let older = missing(requested.from, *oldest);
    if older < MISSING && reaches_start(posts, requested) {
        return ReplySpan::Whole;
    }
    let pause = oldest.0 - requested.from.0;
    let average_gap = (newest.0 - oldest.0) / i64::try_from(inside().count().max(2) - 1).unwrap_or(i64::MAX);
    let usual = !named && USUAL_CAPS.contains(&many);
    let cut = older >= MISSING
        // The longest length so far, or a usual one, and a known post is missing.
        || older >= 1 && (usual || many >= most && repeated >= 1)
        // The longest length so far, repeatedly.
        || many >= LEAST_BY_NUMBER && many >= most && repeated >= REPEATED
        // A usual length: the longest so far, the same as last time, or with too long a gap before it.
        || usual && (many >= most || recall.sizes.first().is_some_and(|size| usize::try_from(*size) == Ok(many)) || pause > PAUSES * average_gap);
    if !cut {
        return ReplySpan::Whole;
    }
    let between = recall.shown.iter().filter(|(at, _)| *at >= *oldest && *at <= *newest).count();
    let left_out = missing(*oldest, *newest);
    if left_out >= MISSING && left_out * 5 > between { ReplySpan::Sample } else { ReplySpan::FromOldest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Kind, ReplyEntry, Source, WindowFit};

    const NOW: i64 = 1_773_219_600_000;
    const MINUTE: i64 = 60_000;
    const DAY: i64 = 24 * 60 * MINUTE;

    fn post(minutes_ago: i64) -> Finding {
        Finding {
            source: Source::Social,
            found: ReplyEntry { published_at: Some(Time(NOW - minutes_ago * MINUTE)), ..ReplyEntry::default() },
            kind: Kind::Post,
            keys: vec![format!("p{minutes_ago}")],
            strong: true,
            fit: WindowFit::In,
        }
    }

    /// Returns `many` posts, `apart` minutes apart, the latest just now.
    fn posts(many: i64, apart: i64) -> Vec<Finding> {
        (0..many).map(|n| post(n * apart)).collect()
    }

    fn known(minutes_ago: impl IntoIterator<Item = i64>) -> Vec<(Time, String)> {
        minutes_ago.into_iter().map(|ago| (Time(NOW - ago * MINUTE), format!("p{ago}"))).collect()
    }

    fn of(posts: &[Finding], sizes: &[i64], shown: Vec<(Time, String)>) -> ReplySpan {
        let day = Span { from: Time(NOW - DAY), until: Time(NOW) };
        let recall = QueryHistory { sizes: sizes.to_vec(), shown, ..QueryHistory::default() };
        reply_span(posts, 0, day, &recall, false)
    }

    #[test]
    fn later_posts_in_a_reply_for_a_past_day_mean_ignored_dates() {
        let a_day = Span { from: Time(NOW - 3 * DAY), until: Time(NOW - 2 * DAY) };
        let hours_ago = |hours: &[i64]| hours.iter().map(|hours| post(hours * 60)).collect::<Vec<_>>();
        for (hours, span, expected) in [
            (&[50, 60][..], a_day, ReplySpan::Whole),
            (&[30, 60], a_day, ReplySpan::Whole),
            (&[30], a_day, ReplySpan::Unfiltered),
            (&[5, 60], a_day, ReplySpan::Unfiltered),
            (&[-50, 60], a_day, ReplySpan::Whole),
            // A span that ends now: a post may have come since.
            (&[-1], Span { from: a_day.from, until: Time(NOW) }, ReplySpan::Whole),
        ] {
            assert_eq!(unless_unfiltered(ReplySpan::Whole, &hours_ago(hours), span, Time(NOW)), expected, "{hours:?}");
        }
        assert_eq!(unless_unfiltered(ReplySpan::Sample, &hours_ago(&[5]), a_day, Time(NOW)), ReplySpan::Sample);
    }

    #[test]
    fn a_reply_below_its_limit_is_full_if_known_posts_are_missing_or_the_size_repeats() {
        let day = Span { from: Time(NOW - DAY), until: Time(NOW) };
        let of = |many: i64, sizes: &[i64], shown| {
            reply_span(
                &posts(many, 10),
                0,
                day,
                &QueryHistory { sizes: sizes.to_vec(), shown, ..QueryHistory::default() },
                true,
            )
        };
        for many in [20, 30, 40, 50] {
            assert_eq!(of(many, &[25, 18], vec![]), ReplySpan::Whole, "{many}");
        }
        assert_eq!(of(40, &[40, 40, 12], vec![]), ReplySpan::FromOldest, "the service cuts before");
        assert_eq!(of(30, &[], known((40..44).map(|n| n * 10))), ReplySpan::FromOldest);
    }

    #[test]
    fn an_empty_reply_covers_nothing_of_a_span_with_known_posts() {
        let day = Span { from: Time(NOW - DAY), until: Time(NOW) };
        let of = |shown| of_empty(day, &QueryHistory { shown, ..QueryHistory::default() });
        assert_eq!(of(known([10, 20, 30])), ReplySpan::Nothing);
        assert_eq!(of(known([10, 20])), ReplySpan::Whole, "two may have been deleted");
        assert_eq!(of(known([10, 20, 1_500])), ReplySpan::Whole, "one is of the day before");
        // Replies of a day each, every six hours, the latest a day ago.
        let predicted = |sizes: &[i64], requested: Span| {
            let back = |n: usize| DAY + i64::try_from(n).unwrap() * DAY / 4;
            let span = |n: usize| Span { from: Time(NOW - back(n) - DAY), until: Time(NOW - back(n)) };
            let spans: Vec<Span> = (0..sizes.len()).map(span).collect();
            let recall = QueryHistory {
                sizes: sizes.to_vec(),
                before: spans.first().copied(),
                spans,
                ..QueryHistory::default()
            };
            of_empty(requested, &recall)
        };
        assert_eq!(predicted(&[40, 31, 10, 25, 30], day), ReplySpan::Nothing, "none had fewer than ten");
        assert_eq!(predicted(&[40, 31, 9, 25, 30], day), ReplySpan::Whole, "one had");
        assert_eq!(predicted(&[40, 31, 10, 25], day), ReplySpan::Whole, "too few replies");
        let hour = Span { from: Time(NOW - 60 * MINUTE), ..day };
        assert_eq!(predicted(&[40, 31, 20, 25, 30], hour), ReplySpan::Whole, "an hour may be quiet");
        let later = Span { from: Time(NOW + 6 * DAY), until: Time(NOW + 7 * DAY) };
        assert_eq!(predicted(&[40, 31, 20, 25, 30], later), ReplySpan::Whole, "after a week it may have ended");
    }

    #[test]
    fn empty_replies_after_a_broken_one_cover_nothing_for_a_week() {
        let of = |days: i64, was_emptied: bool| {
            let before = Some(Span { from: Time(NOW - DAY), until: Time(NOW) });
            let requested = Span { from: Time(NOW + (days - 1) * DAY), until: Time(NOW + days * DAY) };
            of_empty(requested, &QueryHistory { before, was_emptied, ..QueryHistory::default() })
        };
        assert_eq!(of(2, true), ReplySpan::Nothing);
        assert_eq!(of(7, true), ReplySpan::Nothing);
        assert_eq!(of(8, true), ReplySpan::Whole, "the topic may have ended");
        assert_eq!(of(2, false), ReplySpan::Whole, "a quiet topic");
    }

    #[test]
    fn replies_of_fewer_than_ten_posts_are_always_complete() {
        for many in 1..10 {
            assert_eq!(of(&posts(many, 10), &[many, many, many], known(200..400)), ReplySpan::Whole, "{many}");
        }
    }

    #[test]
    fn a_reply_is_full_by_its_length_or_by_known_posts_that_are_missing() {
        use ReplySpan::{FromOldest, Sample, Whole};
        for (name, reply, sizes, known_ago, expected) in [
            ("nothing is known, no usual length", posts(37, 10), &[][..], vec![], Whole),
            ("nothing is known, a usual length", posts(40, 10), &[], vec![], FromOldest),
            ("a usual length that reaches back over the window", posts(40, 37), &[], vec![], Whole),
            ("a usual length after longer ones, of an even stream", posts(40, 36), &[61, 44], vec![], Whole),
            ("a usual length after longer ones, and half a day is missing", posts(40, 18), &[100], vec![], FromOldest),
            ("a usual length again", posts(40, 36), &[40, 61], vec![], FromOldest),
            ("any length, the longest, twice before", posts(37, 10), &[37, 37, 12], vec![], FromOldest),
            ("any length, once before", posts(37, 10), &[37, 12], vec![], Whole),
            ("any length, longer ones before", posts(37, 10), &[41, 37, 37], vec![], Whole),
            ("12 of 12 each time are no cap", posts(12, 10), &[12, 12, 12], vec![], Whole),
            ("three known posts are missing", posts(17, 10), &[60], vec![500, 600, 700], FromOldest),
            ("two may have been deleted", posts(17, 10), &[60], vec![500, 600], Whole),
            ("one is missing of the longest reply", posts(37, 10), &[37, 12], vec![500], FromOldest),
            ("known posts of before the window", posts(17, 10), &[60], vec![1_500, 1_600, 1_700], Whole),
            ("known posts that came back", posts(17, 10), &[60], vec![10, 20, 30, 40], Whole),
            ("a choice of posts, not the latest", posts(40, 10), &[40], (0..390).step_by(5).collect(), Sample),
            (
                "a few deleted in between",
                posts(40, 10),
                &[40],
                (0..390).step_by(10).chain([11, 12, 13]).collect(),
                FromOldest,
            ),
        ] {
            assert_eq!(of(&reply, sizes, known(known_ago)), expected, "{name}");
        }
    }

    #[test]
    fn without_dates_only_the_length_shows_a_full_reply() {
        let undated: Vec<Finding> = posts(30, 1)
            .into_iter()
            .map(|mut post| {
                post.found.published_at = None;
                post
            })
            .collect();
        assert_eq!(of(&undated, &[30], vec![]), ReplySpan::Whole);
        assert_eq!(of(&undated, &[30, 30], vec![]), ReplySpan::Sample);
    }
}
