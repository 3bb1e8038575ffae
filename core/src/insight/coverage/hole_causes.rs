//! Why a span of time is not covered, from the ledger.

use std::fmt;

use crate::model::{
    CoverageSearch, EMPTY_REPLY, LISTED_NOTHING, LookBackKind, ProviderKind, RunSearch, RunState, SearchState, Source,
    Span, Time, closed_list,
};

closed_list! {
    /// Why a span of time is not covered.
    HoleCause {
        /// The topic was paused.
        Paused = "paused",
        /// Slots passed while no process ran.
        MissedSlot = "missed_slot",
        /// Slots were skipped, mostly because the previous run was still going.
        SkippedSlot = "skipped_slot",
        /// Searches failed or were lost.
        FailedSearch = "failed_search",
        /// Searches were not made: over quota, interrupted or cancelled.
        NotAsked = "not_asked",
        /// The reply was full and did not reach further back.
        Saturated = "saturated",
        /// The reply was empty although posts of that time were known or certain.
        EmptyReply = "empty_reply",
        /// Not every feed listed entries of that time.
        NotAllFeeds = "not_all_feeds",
        /// The next successful search did not look back far enough.
        TooShort = "look_back_too_short",
        /// The search was made by a version that did not record coverage.
        NotRecorded = "not_recorded",
        /// The ledger explains nothing: usually nothing was due.
        NothingDue = "nothing_due",
    }
}

/// One cause of a hole.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Cause {
    pub why: HoleCause,
    /// How often it happened; 0 for slots that passed and are not in the ledger yet.
    pub count: usize,
    /// Their error classes or reasons, the first few. If the look-back was too short: its length. For a slot not planned
    /// yet: that slot.
    pub detail: Option<String>,
}

impl Cause {
    /// The cause of a hole that the ledger does not explain.
    pub(in crate::insight) fn of_nothing_due() -> Self {
        Self { why: HoleCause::NothingDue, count: 1, detail: None }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, s) = (self.count, if self.count == 1 { "" } else { "s" });
        let es = if self.count == 1 { "" } else { "es" };
        let detail = self.detail.as_deref().unwrap_or("");
        match self.why {
            HoleCause::Paused => write!(f, "paused"),
            HoleCause::MissedSlot if n == 0 => {
                write!(f, "at least one slot has passed, but its run has not started yet")
            }
            HoleCause::MissedSlot => write!(f, "{n} missed slot{s}"),
            HoleCause::SkippedSlot => write!(f, "{n} skipped slot{s}"),
            HoleCause::FailedSearch => write!(f, "{n} failed search{es} ({detail})"),
            HoleCause::NotAsked => write!(f, "{n} search{es} not made ({detail})"),
            HoleCause::Saturated => write!(f, "the reply was full and did not reach further back"),
            HoleCause::EmptyReply if n == 1 => f.write_str(EMPTY_REPLY),
            HoleCause::EmptyReply => {
                write!(f, "{n} empty replies, although posts from that time are known or certain to exist")
            }
            HoleCause::NotAllFeeds => write!(f, "{n} search{es} in which a feed listed nothing of that time"),
            HoleCause::TooShort => write!(f, "the next search looked back only {detail}"),
            HoleCause::NotRecorded => write!(f, "{n} search{es} without a record of what was covered"),
            HoleCause::NothingDue => write!(f, "no search reached it"),
        }
    }
}

/// The most error classes or reasons that a cause names.
const MOST_NAMED: usize = 4;

/// Adds an error class or reason to those of a cause, unless it is among them.
fn add_detail(details: &mut Option<String>, detail: Option<String>) {
    let Some(detail) = detail else { return };
    match details {
        None => *details = Some(detail),
        Some(all) if !all.contains(&detail) => {
            let named = all.split(", ").count();
            if named <= MOST_NAMED {
                all.push_str(", ");
                all.push_str(if named == MOST_NAMED { "…" } else { &detail });
            }
        }
        Some(_) => {}
    }
}

/// Returns the causes of a hole: the events between the last search that covered and the one that covers again.
/// `answered` is when that last search was made; its claim may end before that.
pub(in crate::insight) fn causes(
    runs: &[RunSearch],
    hole: Span,
    answered: Time,
    source: Source,
    ender: Option<(&RunSearch, &CoverageSearch)>,
    end: Time,
) -> Vec<Cause> {
    let mut found: Vec<Cause> = Vec::new();
    let mut note = |why: HoleCause, detail: Option<String>| match found.iter_mut().find(|cause| cause.why == why) {
        Some(cause) => {
            cause.count += 1;
            add_detail(&mut cause.detail, detail);
        }
        None => found.push(Cause { why, count: 1, detail }),
    };
    let after = runs.partition_point(|run| run.at <= answered);
    let until = |at: Time| runs.get(after..runs.partition_point(|run| run.at <= at)).unwrap_or_default();
    // Prefer events inside the hole; otherwise look on to the search that ended it.
    let failed = |run: &&RunSearch| cause_of(run, source).is_some();
    let inside = until(hole.until);
    let wider = until(ender.map_or(end, |(run, _)| run.at).max(hole.until));
    let runs = if inside.iter().any(|run| failed(&run)) { inside } else { wider };
    for (why, detail) in runs.iter().filter_map(|run| cause_of(run, source)) {
        note(why, detail);
    }
    if let Some((run, search)) = ender {
        // A feed is not asked for a span: it lists what it has.
        let feeds = is_of_feeds(search);
        let reached = feeds || search.requested_span.is_some_and(|requested| requested.from < hole.until);
        if search.saturated && reached {
            note(HoleCause::Saturated, None);
        } else if let Some(requested) = search.requested_span.filter(|one| !reached && one.until == run.at) {
            note(HoleCause::TooShort, Some(crate::model::format_duration(requested.length())));
        }
    }
    if found.is_empty() {
        found.push(Cause::of_nothing_due());
    }
    found.sort_by_key(|cause| cause.why);
    found
}

/// Returns why a run, or its search of `source`, covered nothing. `None` if it covered something or is not about this
/// source.
fn cause_of(run: &RunSearch, source: Source) -> Option<(HoleCause, Option<String>)> {
    if let Some(search) = &run.search {
        let detail = || search.trouble.clone();
        return match search.state {
            _ if search.source != source || search.covered.is_some() => None,
            SearchState::Error | SearchState::Lost => {
                Some((HoleCause::FailedSearch, detail().or_else(|| Some(search.state.to_string()))))
            }
            SearchState::OverQuota => Some((HoleCause::NotAsked, Some("over quota".to_owned()))),
            SearchState::NotRun => Some((HoleCause::NotAsked, detail())),
            SearchState::Ok | SearchState::Empty if search.saturated && search.requested_span.is_some() => {
                Some((HoleCause::Saturated, None))
            }
            SearchState::Ok | SearchState::Empty if search.requested_span.is_none() => {
                Some((HoleCause::NotRecorded, None))
            }
            SearchState::Ok | SearchState::Empty if search.trouble.as_deref() == Some(LISTED_NOTHING) => {
                Some((HoleCause::NotAllFeeds, None))
            }
            // Nothing new in any feed, and no time that all of them cover yet.
            SearchState::Empty if is_of_feeds(search) => None,
            SearchState::Empty => Some((HoleCause::EmptyReply, None)),
            // An answer that arrived only in part.
            SearchState::Ok => detail().map(|trouble| (HoleCause::FailedSearch, Some(trouble))),
            SearchState::Started => None,
        };
    }
    let reason = run.reason.clone();
    match run.state {
        _ if is_of_pause(run) => Some((HoleCause::Paused, None)),
        RunState::Missed => Some((HoleCause::MissedSlot, reason)),
        RunState::Skipped => Some((HoleCause::SkippedSlot, reason)),
        RunState::Cancelled => Some((HoleCause::NotAsked, reason.or_else(|| Some("cancelled".to_owned())))),
        RunState::Failed => Some((HoleCause::FailedSearch, reason.or_else(|| Some("lost".to_owned())))),
        RunState::OverQuota => Some((HoleCause::NotAsked, Some("over quota".to_owned()))),
        RunState::Queued | RunState::Running | RunState::Ok | RunState::Partial => None,
    }
}

/// Whether a run was not made because its topic was paused.
pub(in crate::insight) fn is_of_pause(run: &RunSearch) -> bool {
    matches!(run.state, RunState::Missed | RunState::Skipped | RunState::Cancelled)
        && run.search.is_none()
        && run.reason.as_ref().is_some_and(|reason| reason.contains("paused"))
}

fn is_of_feeds(search: &CoverageSearch) -> bool {
    ProviderKind::named(&search.operation).is_some_and(|kind| kind.reach == LookBackKind::Feed)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
    use super::*;

    const MINUTE: i64 = 60_000;

    fn look(minute: i64, state: SearchState, covered: Option<Span>) -> RunSearch {
        let at = Time(minute * MINUTE);
        let search = CoverageSearch {
            source: Source::Social,
            operation: "search".into(),
            state,
            requested_span: Some(Span { from: Time(0), until: at }),
            covered,
            saturated: false,
            trouble: (state == SearchState::Error).then(|| "server".to_owned()),
        };
        RunSearch { topic: "acme".into(), at, seq: 0, state: RunState::Ok, reason: None, search: Some(search) }
    }

    #[test]
    fn a_failure_before_the_last_answer_is_not_a_cause_of_a_later_hole() {
        // Searches claim nothing of their last 15 minutes. One fails at 50 minutes, the next is answered at 60.
        let until = |minute: i64| Span { from: Time(0), until: Time((minute - 15) * MINUTE) };
        let mut looks = vec![look(50, SearchState::Error, None), look(60, SearchState::Ok, Some(until(60)))];
        let hole = Span { from: Time(45 * MINUTE), until: Time(120 * MINUTE) };
        let why = |looks: &[RunSearch], answered: i64| {
            let all = causes(looks, hole, Time(answered * MINUTE), Source::Social, None, hole.until);
            all.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(why(&looks, 60), "no search reached it");
        assert_eq!(why(&looks, 45), "1 failed search (server)", "without an answer in between");
        looks.push(look(90, SearchState::Error, None));
        assert_eq!(why(&looks, 60), "1 failed search (server)", "only the later one");
    }

    #[test]
    fn a_cause_names_each_class_of_its_failures_once() {
        let hole = Span { from: Time(0), until: Time(60 * MINUTE) };
        let failures = |classes: &[&str]| {
            let looks = (1..).zip(classes).map(|(minute, class)| {
                let mut failed = look(minute, SearchState::Error, None);
                failed.search.as_mut().unwrap().trouble = Some((*class).to_owned());
                failed
            });
            causes(&looks.collect::<Vec<_>>(), hole, Time(0), Source::Social, None, hole.until)[0].to_string()
        };
        assert_eq!(failures(&["server", "server", "timeout", "server"]), "4 failed searches (server, timeout)");
        let many = ["server", "timeout", "malformed", "cut", "transport", "service"];
        assert_eq!(failures(&many), "6 failed searches (server, timeout, malformed, cut, …)");
    }
}
