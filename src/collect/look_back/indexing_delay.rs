//! How late a service indexes posts, and therefore how much of the time before a search is not claimed as covered.
//! Pure. It learns from posts that the previous reply should already have shown.

use std::collections::HashSet;
use std::time::Duration;

use crate::model::{Finding, QueryHistory, Time, WindowFit};

/// The least time not claimed: services need some minutes to index a post.
pub(in crate::collect) const LEAST: Duration = Duration::from_secs(300);
/// The most time not claimed; posts that come later than this are not late because of indexing.
const MOST: Duration = Duration::from_secs(6 * 3_600);
/// Percentile of a reply's posts that gives the reply's lateness.
const POSTS: usize = 95;
/// Percentile of the latest replies' lateness that gives the allowance.
const REPLIES: usize = 90;

/// Returns how late the new posts of a reply were, in milliseconds: posts that the previous reply should have shown
/// were indexed after it. Returns `None` if no post is new or nothing was asked before.
pub(in crate::collect) fn indexing_delay(posts: &[Finding], recall: &QueryHistory) -> Option<i64> {
    let before = recall.before?;
    let known: HashSet<&String> = recall.shown.iter().map(|(_, key)| key).chain(&recall.forgotten).collect();
    let new = posts.iter().filter(|post| post.fit == WindowFit::In);
    let new = new.filter(|post| !post.keys.iter().any(|key| known.contains(key)));
    let late = |at: Time| if before.contains(at) { before.until.0 - at.0 } else { 0 };
    // Posts older than the previous span could not have been in the previous reply.
    let dates = new.filter_map(|post| post.found.published_at).filter(|at| *at >= before.from);
    quantile(dates.map(late).collect(), POSTS)
}

/// Returns how much of the time before a search is not claimed, from the lateness of the latest replies.
pub(in crate::collect) fn allowance(late: impl IntoIterator<Item = i64>) -> Duration {
    let learned = quantile(late.into_iter().collect(), REPLIES).unwrap_or(0);
    Duration::from_millis(u64::try_from(learned).unwrap_or(0)).clamp(LEAST, MOST)
}

/// Returns the given percentile.
fn quantile(mut values: Vec<i64>, percent: usize) -> Option<i64> {
    values.sort_unstable();
    let place = (values.len() * percent).div_ceil(100).saturating_sub(1);
    values.get(place).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Kind, ReplyEntry, Source, Span};

    const MINUTE: i64 = 60_000;

    fn post(key: &str, minute: i64) -> Finding {
        Finding {
            source: Source::Social,
            found: ReplyEntry { published_at: Some(Time(minute * MINUTE)), ..ReplyEntry::default() },
            kind: Kind::Post,
            keys: vec![key.to_owned()],
            strong: true,
            fit: WindowFit::In,
        }
    }

    #[test]
    fn a_new_post_missing_from_the_previous_reply_was_indexed_late() {
        let before = Some(Span { from: Time(100 * MINUTE), until: Time(200 * MINUTE) });
        let recall =
            QueryHistory { before, shown: vec![(Time(150 * MINUTE), "known".into())], ..QueryHistory::default() };
        let of = |posts: &[Finding]| indexing_delay(posts, &recall).map(|ms| ms / MINUTE);
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[post("known", 150)]), None);
        assert_eq!(of(&[post("after", 230)]), Some(0), "it could not be shown");
        assert_eq!(of(&[post("late", 180), post("known", 150)]), Some(20));
        assert_eq!(of(&[post("older", 99)]), None, "nobody asked for it");
        let forgotten = QueryHistory { forgotten: vec!["forgotten".into()], ..recall.clone() };
        assert_eq!(indexing_delay(&[post("forgotten", 110)], &forgotten), None, "it was shown before");
        // One in a hundred does not count.
        let mut many: Vec<Finding> = (0..99).map(|n| post(&n.to_string(), 230)).collect();
        many.push(post("late", 101));
        assert_eq!(of(&many), Some(0));
        assert_eq!(indexing_delay(&[post("late", 180)], &QueryHistory::default()), None);
    }

    #[test]
    fn the_indexing_allowance_follows_learned_delays_within_limits() {
        let of = |minutes: &[i64]| allowance(minutes.iter().map(|m| m * MINUTE)).as_secs() / 60;
        assert_eq!(of(&[]), 5);
        assert_eq!(of(&[0, 0, 0]), 5);
        assert_eq!(of(&[80, 70, 60]), 80);
        assert_eq!(of(&[3_000]), 360);
        // One in twenty does not count.
        let mut many = vec![10; 19];
        many.push(300);
        assert_eq!(of(&many), 10);
    }
}
