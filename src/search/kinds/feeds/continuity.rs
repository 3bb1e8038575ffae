//! Works out since when a feed is known without a gap. A feed shows only its newest entries. If a remembered entry is
//! still there, no other can have come and gone since the last look, unless the entry is only there because its date
//! changed: many feeds show the entries changed last. `memory` keeps what the next look needs.

use std::collections::{HashMap, HashSet};

use super::entries::Feed;
use crate::model::Time;

/// At least one of this many newest entries must still be there.
const NEWEST: usize = 3;

/// The number of newest entries remembered. It is larger, because entries that changed since then prove nothing.
const REMEMBERED: usize = 10;

/// At the first look, an entry at the end of a feed is taken for a pinned one if the entry before it is this many times
/// the rest of the feed newer, and at least a day.
const APART: i64 = 10;
const DAY: i64 = 86_400_000;

/// The state of a feed at the last look.
#[derive(Debug, Clone, Copy)]
pub(super) struct LastLook<'a> {
    /// Every entry from this time on was seen; `None` if the feed was never read.
    pub(super) since: Option<Time>,
    /// When it was read, in milliseconds since the epoch.
    pub(super) looked: i64,
    /// The names of its newest entries then.
    pub(super) newest: &'a [String],
}

/// What a look at a feed proves about the time before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Continuity {
    /// Every entry from this time on was seen.
    pub(super) since: Time,
    /// Entries may have come and gone since the last look.
    pub(super) hole: bool,
}

impl Continuity {
    /// The result of a reply that says that nothing changed since the last look.
    pub(super) fn unchanged(before: LastLook<'_>, now: Time) -> Self {
        Self { since: before.since.unwrap_or(now), hole: false }
    }

    pub(super) fn of(before: LastLook<'_>, feed: &Feed, now: Time) -> Self {
        let Some(since) = before.since else {
            return Self { since: end_of_feed(feed, now).map_or(now, |end| end.min(now)), hole: false };
        };
        // A feed that had no entries shows all entries since then.
        let moved = redated_entries(feed, before.looked, now);
        if before.newest.is_empty() || any_entry_remains(before.newest, &newest_first(feed, now), &moved) {
            return Self { since, hole: false };
        }
        // An older entry that is still there is pinned: the remembered ones were newer and are gone.
        let later = changed(feed).filter(|at| at.0 > before.looked && *at <= now).min();
        Self { since: later.unwrap_or(now), hole: true }
    }
}

/// Returns the names of the newest entries to remember. There are several, because a publisher may delete one. Pinned
/// entries are not among them, because they stay whatever else changes.
pub(super) fn newest(feed: &Feed, now: Time) -> Vec<String> {
    let order = order_dates(feed);
    let end = end_of(order.iter().copied().flatten(), now);
    let pinned: HashSet<&String> = (feed.names.iter().zip(&order))
        .filter(|(_, at)| at.is_some_and(|at| end.is_some_and(|end| at < end)))
        .map(|(name, _)| name)
        .collect();
    newest_first(feed, now).into_iter().filter(|name| !pinned.contains(name)).take(REMEMBERED).cloned().collect()
}

fn changed(feed: &Feed) -> impl Iterator<Item = Time> {
    feed.changed.iter().copied().flatten()
}

fn published(feed: &Feed) -> impl Iterator<Item = Time> {
    feed.items.iter().filter_map(|item| item.published_at)
}

/// Returns the dates by which the feed is ordered: when its entries were published, unless it is better ordered by when
/// they were changed.
fn order_dates(feed: &Feed) -> Vec<Option<Time>> {
    let disorder = |dates: Vec<Time>| {
        let falling = dates.windows(2).filter(|pair| pair[0] > pair[1]).count();
        let rising = dates.windows(2).filter(|pair| pair[0] < pair[1]).count();
        falling.min(rising)
    };
    match disorder(changed(feed).collect()) < disorder(published(feed).collect()) {
        true => feed.changed.clone(),
        false => feed.items.iter().map(|item| item.published_at).collect(),
    }
}

/// Returns the names of entries that may be in the feed only because they were changed, or given a new date, since the last
/// look: others may have come and gone before that.
fn redated_entries(feed: &Feed, looked: i64, now: Time) -> HashSet<&String> {
    // If all entries have the same date, it is the file's date, and the order of the entries counts.
    let one_date = feed.changed.len() > 1 && feed.changed.windows(2).all(|pair| pair[0] == pair[1]);
    if one_date && published(feed).is_sorted_by(|before, after| before >= after) {
        return HashSet::new();
    }
    let since = |at: &Option<Time>| at.is_some_and(|at| at.0 > looked && at <= now);
    feed.names.iter().zip(&feed.changed).filter(|(_, at)| since(at)).map(|(name, _)| name).collect()
}

/// Returns the names of all entries, the newest first: by date, if there are dates; otherwise a feed has them on top.
/// Future events keep the latest dates while everything else changes, so they are left out, unless there is nothing
/// else. An entry without a date keeps its place behind the one before it.
fn newest_first(feed: &Feed, now: Time) -> Vec<&String> {
    let mut before = None;
    let mut dates = order_dates(feed);
    for date in &mut dates {
        before = date.filter(|at| *at <= now).or(before);
        *date = date.or(before);
    }
    let mut order: Vec<(Option<Time>, &String)> = dates.into_iter().zip(&feed.names).collect();
    let ahead = |(at, _): &(Option<Time>, &String)| at.is_some_and(|at| at > now);
    if !order.iter().all(ahead) {
        order.retain(|entry| !ahead(entry));
    }
    order.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    order.into_iter().map(|(_, name)| name).collect()
}

/// Whether one of the newest remembered entries that did not move is left where it must be: last in the feed, or before
/// one that followed it. An entry whose followers were all replaced is pinned and shows nothing.
fn any_entry_remains(remembered: &[String], order: &[&String], moved: &HashSet<&String>) -> bool {
    let places: HashMap<&String, usize> = order.iter().copied().zip(0..).collect();
    (0..).zip(remembered).filter(|(_, name)| !moved.contains(name)).take(NEWEST).any(|(number, name)| {
        let (Some(place), followers) = (places.get(name), remembered.get(number + 1..).unwrap_or_default()) else {
            return false;
        };
        followers.is_empty() || order.get(place + 1).is_none_or(|next| followers.contains(next))
    })
}

/// Returns the date of the old end of the feed, which shows the entries published last or those changed last: the later
/// of both ends.
fn end_of_feed(feed: &Feed, now: Time) -> Option<Time> {
    end_of(published(feed), now).max(end_of(changed(feed), now))
}

/// Returns the date of the entry at the old end. Entries that are not in order, such as a pinned one on top, do not
/// count.
fn end_of(dates: impl Iterator<Item = Time>, now: Time) -> Option<Time> {
    let mut dates: Vec<Time> = dates.filter(|at| *at <= now).collect();
    let falling = dates.windows(2).filter(|pair| pair[0] > pair[1]).count();
    let rising = dates.windows(2).filter(|pair| pair[0] < pair[1]).count();
    if rising > falling {
        dates.reverse();
    }
    let newest = dates.iter().copied().max()?;
    while let [.., before, end] = dates[..]
        && before.0 - end.0 >= DAY.max(APART.saturating_mul(newest.0 - before.0))
    {
        dates.pop();
    }
    dates.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ReplyEntry;

    const HOUR: i64 = 3_600_000;
    const NOW: Time = Time(100 * DAY);

    /// Entries by name, each so many hours before now; `None` without a date.
    fn feed(entries: &[(&str, Option<i64>)]) -> Feed {
        let item = |ago: Option<i64>| ReplyEntry {
            published_at: ago.map(|ago| Time(NOW.0 - ago * HOUR)),
            ..ReplyEntry::default()
        };
        Feed {
            items: entries.iter().map(|(_, ago)| item(*ago)).collect(),
            changed: entries.iter().map(|(_, ago)| item(*ago).published_at).collect(),
            names: entries.iter().map(|(name, _)| (*name).to_owned()).collect(),
            ..Feed::default()
        }
    }

    fn hours_ago(of: Option<Time>) -> Option<i64> {
        of.map(|at| (NOW.0 - at.0) / HOUR)
    }

    #[test]
    fn the_end_of_a_feed_is_its_oldest_entry_in_date_order() {
        for (dates, end) in [
            (&[1, 2, 3][..], Some(3)),
            (&[3, 2, 1], Some(3)),
            // Pinned on top, pinned at the end.
            (&[500, 1, 2, 3], Some(3)),
            (&[1, 2, 3, 7_200], Some(3)),
            (&[1, 2, 3, 40], Some(3)),
            // A quiet blog.
            (&[1, 200, 500], Some(500)),
            // Two entries: the feed is quiet, or one entry is pinned. Assume pinned, because otherwise a gap could be
            // hidden.
            (&[1, 7_200], Some(1)),
            (&[1, 20], Some(20)),
            (&[2, 2, 2], Some(2)),
            (&[-5, 1, 2], Some(2)),
            (&[], None),
        ] {
            let entries: Vec<(&str, Option<i64>)> = dates.iter().map(|ago| ("e", Some(*ago))).collect();
            assert_eq!(hours_ago(end_of_feed(&feed(&entries), NOW)), end, "{dates:?}");
        }
    }

    #[test]
    fn a_remembered_entry_counts_only_with_the_entries_after_it() {
        let left = |remembered: &[&str], now: &[&str]| {
            let entries: Vec<(&str, Option<i64>)> = now.iter().map(|name| (*name, None)).collect();
            let remembered: Vec<String> = remembered.iter().map(|name| (*name).to_owned()).collect();
            any_entry_remains(&remembered, &newest_first(&feed(&entries), NOW), &HashSet::new())
        };
        assert!(left(&["a", "b", "c"], &["e", "d", "a", "b"]));
        assert!(left(&["a", "b", "c"], &["e", "d", "a"]), "the others fell off the end");
        assert!(left(&["a", "b", "c"], &["e", "d", "a", "c", "x"]), "one was deleted");
        assert!(left(&["a", "b", "c"], &["e", "c", "x"]));
        assert!(!left(&["a", "b", "c"], &["a", "e", "d", "x"]), "pinned on top, the rest was replaced");
        assert!(!left(&["a", "b", "c"], &["e", "d", "x"]));
        assert!(left(&["a"], &["a"]) && !left(&["a"], &[]));
        assert!(!left(&["a", "b", "c", "d"], &["d"]), "the newest three are gone");
    }

    #[test]
    fn an_undated_entry_among_dated_ones_does_not_make_a_gap() {
        let newest = ["c", "b", "a"].map(str::to_owned);
        let before = LastLook { since: Some(Time(0)), looked: NOW.0 - 4 * HOUR, newest: &newest };
        let hole = |entries: &[(&str, Option<i64>)]| Continuity::of(before, &feed(entries), NOW).hole;
        assert!(!hole(&[("e", Some(1)), ("d", None), ("c", Some(5))]), "the others fell off the end");
        assert!(!hole(&[("e", Some(1)), ("d", None), ("future", Some(-9)), ("c", Some(5))]));
        assert!(hole(&[("e", Some(1)), ("d", None)]), "the newest three are gone");
    }

    #[test]
    fn an_entry_changed_since_the_last_read_does_not_prove_continuity() {
        // The last look was 10 hours ago. Entries by name, when they were published, and when they were changed.
        let left = |entries: &[(&str, i64, i64)]| {
            let mut now = feed(&entries.iter().map(|(name, ago, _)| (*name, Some(*ago))).collect::<Vec<_>>());
            now.changed = entries.iter().map(|(_, _, ago)| Some(Time(NOW.0 - ago * HOUR))).collect();
            let newest = ["a", "b", "c", "d", "e"].map(str::to_owned);
            let before = LastLook { since: Some(Time(0)), looked: NOW.0 - 10 * HOUR, newest: &newest };
            !Continuity::of(before, &now, NOW).hole
        };
        assert!(left(&[("x", 1, 1), ("a", 11, 11)]));
        assert!(!left(&[("a", 11, 1), ("x", 2, 2)]), "changed, the others are gone");
        assert!(!left(&[("a", 1, 1), ("x", 2, 2)]), "given a new date");
        assert!(left(&[("a", 11, 1), ("x", 2, 2), ("b", 12, 12)]), "another is left");
        assert!(left(&[("a", 11, 1), ("b", 12, 1), ("c", 13, 2), ("x", 3, 3), ("d", 14, 14)]));
        assert!(left(&[("a", 11, 1), ("b", 12, 1), ("c", 13, 1)]), "the date of the file");
        assert!(!left(&[("b", 12, 1), ("a", 11, 1), ("c", 13, 1)]), "not in their own order");
    }

    #[test]
    fn the_newest_entries_are_remembered_and_no_pinned_one() {
        let remembered = |entries: &[(&str, Option<i64>)]| newest(&feed(entries), NOW);
        assert_eq!(remembered(&[("d", Some(1)), ("c", Some(2)), ("b", Some(3)), ("a", Some(4))]), ["d", "c", "b", "a"]);
        assert_eq!(remembered(&[("pin", Some(900)), ("b", Some(1)), ("a", Some(2)), ("z", None)]), ["b", "a", "z"]);
        assert_eq!(remembered(&[("b", Some(1)), ("a", Some(2)), ("pin", Some(900))]), ["b", "a"]);
        assert_eq!(remembered(&[("a", Some(1)), ("pin", Some(900))]), ["a"]);
        assert_eq!(remembered(&[("b", None), ("a", None)]), ["b", "a"]);
    }
}
