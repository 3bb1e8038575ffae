//! How far back a run looks, and what each of its searches covered. Pure: earlier coverage is an argument. `insight`
//! adds up the spans of many runs.

pub(super) mod indexing_delay;
pub(super) mod saturation;

use std::time::Duration;

use super::Settings;
use crate::model::{Finding, LookBack, SearchState, Source, Span, Time, Topic, Window, WindowFit, format_duration};
use crate::search::{LookBackSupport, SearchQuery, look_back_support, wider_look_back};

/// A gap that exceeds the window by no more than this is ignored. Runs begin seconds or minutes after their slots, and
/// the last minutes before a search are never claimed; a daily topic must not look back a week because of that.
const SLACK: Duration = Duration::from_secs(600).saturating_add(indexing_delay::LEAST);

/// How far back a topic without a schedule catches up; with a schedule, `catch_up_window` applies.
const CATCH_UP: Duration = Duration::from_secs(7 * 86_400);

/// Start of the note of a search that looked back further than its topic says.
pub const LOOKED_BACK: &str = "looked back";
/// No call looks back further than this.
const FARTHEST: Duration = Duration::from_secs(730 * 86_400);

/// The span over which a run asks its sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    /// A span other than the topic's window.
    pub(super) over: Option<LookBack>,
    /// Why it is another span, for people.
    pub(super) why: Option<String>,
    /// Why the run exists, if it looks at a past day.
    pub(super) reason: Option<String>,
}

impl Plan {
    /// The topic's own window.
    pub(super) const AS_ALWAYS: Self = Self { over: None, why: None, reason: None };

    /// One day, for a backfill.
    pub(super) fn day(day: i64) -> Self {
        let reason = format!("backfill of {}", Time::of_utc_day(day).utc_date());
        Self { over: Some(LookBack::Day(day)), why: None, reason: Some(reason) }
    }

    /// Covers the gap since `covered_until`, as far as the topic's social call can.
    pub(super) fn over_gap(
        settings: &Settings,
        topic: &Topic,
        source: Source,
        covered_until: Option<Time>,
        now: Time,
    ) -> Self {
        let limit = topic.schedule.as_ref().map_or(CATCH_UP, |policy| Duration::from_millis(policy.catch_up_window_ms));
        let (Some(reach), Some(until)) = (can_look_further(settings, topic, source), covered_until) else {
            return Self::AS_ALWAYS;
        };
        let over = look_back_to(reach, topic.window, until, limit, now);
        let why = over.map(|over| {
            let back = format_duration(over.span(now).length());
            format!("{LOOKED_BACK} {back} because nothing was covered since {}", until.whole_seconds())
        });
        Self { over, why, reason: None }
    }

    /// Applies the plan's span to a query. A source that cannot look back over that span is asked as usual.
    pub(super) fn apply(&self, settings: &Settings, search_query: SearchQuery) -> SearchQuery {
        match self.over {
            Some(over) if self.reason.is_some() => search_query.with_look_back(over),
            Some(over) if can_look_back(look_back_support(settings.dialect, &search_query), over) => {
                search_query.with_look_back(over)
            }
            _ => search_query,
        }
    }
}

/// Returns how the topic's social call could look back further than the topic says. `None` means it cannot, and then
/// the previous coverage does not matter.
pub(super) fn can_look_further(settings: &Settings, topic: &Topic, source: Source) -> Option<LookBackSupport> {
    let search_query =
        SearchQuery::of(topic, source).filter(|search_query| !matches!(search_query, SearchQuery::Ai(..)))?;
    wider_look_back(settings.dialect, &search_query, topic.window)
}

/// Returns the smallest look-back that reaches `covered_until`, or `limit` if that is nearer. `None` means the window
/// is enough.
fn look_back_to(
    reach: LookBackSupport,
    window: Window,
    covered_until: Time,
    limit: Duration,
    now: Time,
) -> Option<LookBack> {
    let since = covered_until.max(now.minus(limit.min(FARTHEST)));
    if now.since(since) <= window.length() + SLACK {
        return None;
    }
    match reach {
        LookBackSupport::Unsaid => None,
        LookBackSupport::Windows => (window == Window::Past24Hours).then_some(LookBack::Window(Window::Past7Days)),
        LookBackSupport::Dates | LookBackSupport::Since => Some(LookBack::Since(since)),
    }
}

fn can_look_back(reach: LookBackSupport, over: LookBack) -> bool {
    match reach {
        LookBackSupport::Unsaid => false,
        LookBackSupport::Windows => matches!(over, LookBack::Window(_)),
        LookBackSupport::Dates | LookBackSupport::Since => true,
    }
}

/// Returns the span that a search's request names and against which its findings are judged; `None` if it names none.
pub(super) fn requested_span(settings: &Settings, search_query: &SearchQuery, seen_at: Time) -> Option<Span> {
    match search_query {
        _ if look_back_support(settings.dialect, search_query) == LookBackSupport::Unsaid => None,
        SearchQuery::Social(_, over) | SearchQuery::Ai(_, over) | SearchQuery::Provider(_, over) => {
            Some(over.span(seen_at))
        }
        SearchQuery::Web(_) => None,
    }
}

/// How much of the requested span a reply shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplySpan {
    /// All of it, as far as is known.
    Whole,
    /// It was cut: everything from its oldest post on.
    FromOldest,
    /// It has posts from after the span, so the service ignored the dates: at most everything from its oldest post on.
    Unfiltered,
    /// It was cut and also left out posts in between: no part of it for sure.
    Sample,
    /// It is empty although the query showed posts of the span before: no part of it.
    Nothing,
}

/// When a search was made.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchTime {
    /// When its run began.
    pub(super) seen_at: Time,
    /// The last try. "The past 24 hours" counts from there, and a run may wait for its permit.
    pub(super) sent_at: Time,
    /// How much of the time before the search is not claimed, because posts may not have been indexed yet.
    pub(super) allowance: Duration,
}

/// Returns what a search covered: all it asked for if the reply was whole, from the oldest dated finding on if the
/// reply was cut or the dates were ignored, nothing if it failed or known posts are missing. The last minutes before it
/// are left out, because posts may not have been indexed yet. Answers and pages describe a moment, so only posts cover
/// time.
pub(super) fn covered(
    search_query: &SearchQuery,
    requested: Span,
    state: SearchState,
    reply_span: ReplySpan,
    findings: &[Finding],
    SearchTime { seen_at, sent_at, allowance }: SearchTime,
) -> Option<Span> {
    let SearchQuery::Social(_, over) = search_query else { return None };
    if !matches!(state, SearchState::Ok | SearchState::Empty) {
        return None;
    }
    let late = if matches!(over, LookBack::Window(_)) { sent_at.since(seen_at) } else { Duration::ZERO };
    let from = requested.from.plus(late);
    let until = requested.until.min(seen_at.minus(allowance));
    match reply_span {
        ReplySpan::Whole => Span::new(from, until),
        ReplySpan::FromOldest | ReplySpan::Unfiltered => {
            let inside = findings.iter().filter(|finding| finding.fit == WindowFit::In);
            let oldest = inside.filter_map(|finding| finding.found.published_at).min()?;
            Span::new(from.max(oldest), until)
        }
        ReplySpan::Sample | ReplySpan::Nothing => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;
    use crate::model::{Kind, ReplyEntry, SocialOperation, SocialQuery};
    use crate::search::Dialect;

    const NOW: Time = Time(1_773_219_600_000);
    const HOUR: Duration = Duration::from_secs(3_600);

    fn ago(hours: u32) -> Time {
        NOW.minus(HOUR * hours)
    }

    fn topic(operation: SocialOperation, window: Window) -> Topic {
        Topic {
            id: "acme".into(),
            title: "Acme".into(),
            tags: Vec::new(),
            window,
            social: Some(SocialQuery { query: "acme".into(), operation, limit: None }),
            web: None,
            ai: None,
            providers: Vec::new(),
            schedule: None,
            unscheduled: Default::default(),
            limits: Default::default(),
            filter: Default::default(),
        }
    }

    fn settings(dialect: Dialect) -> Settings {
        Settings {
            dialect,
            platform: "X".into(),
            limits: 1.into(),
            prices: crate::budget::Prices::default(),
            sandbox: true,
            lease: Duration::from_secs(60),
        }
    }

    #[test]
    fn a_run_looks_back_over_a_gap_within_the_limits_of_its_call() {
        use Dialect::{Desearch, Spec};
        use SocialOperation::{Basic, Posts, Search};
        use Window::{Past7Days, Past24Hours};
        let week = Some(LookBack::Window(Past7Days));
        for (dialect, operation, window, covered_until, over) in [
            (Spec, Search, Past24Hours, None, None),
            (Spec, Search, Past24Hours, Some(ago(1)), None),
            (Spec, Search, Past24Hours, Some(ago(24).minus(SLACK)), None),
            (Spec, Search, Past24Hours, Some(ago(24).minus(SLACK + HOUR / 60)), week),
            (Spec, Search, Past24Hours, Some(ago(72)), week),
            (Spec, Search, Past24Hours, Some(ago(24 * 40)), week),
            (Spec, Search, Past7Days, Some(ago(24 * 40)), None),
            (Spec, Basic, Past24Hours, Some(ago(72)), Some(LookBack::Since(ago(72)))),
            (Spec, Posts, Past24Hours, Some(ago(72)), None),
            (Desearch, Search, Past24Hours, Some(ago(23)), None),
            (Desearch, Search, Past24Hours, Some(ago(30)), Some(LookBack::Since(ago(30)))),
            (Desearch, Basic, Past24Hours, Some(ago(24 * 40)), Some(LookBack::Since(ago(24 * 7)))),
            (Desearch, Basic, Past7Days, Some(ago(24 * 40)), None),
            (Desearch, Posts, Past24Hours, Some(ago(72)), None),
            // The clock was set back: nothing is missing.
            (Desearch, Basic, Past24Hours, Some(NOW.plus(HOUR)), None),
        ] {
            let plan =
                Plan::over_gap(&settings(dialect), &topic(operation, window), Source::Social, covered_until, NOW);
            assert_eq!(plan.over, over, "{dialect} {operation} {window} {covered_until:?}");
            assert_eq!(plan.why.is_some(), over.is_some());
        }
        let plan = Plan::over_gap(&settings(Desearch), &topic(Basic, Past24Hours), Source::Social, Some(ago(72)), NOW);
        let why = "looked back 3d because nothing was covered since 2026-03-08T09:00:00Z";
        assert_eq!(plan.why.as_deref(), Some(why));
    }

    #[test]
    fn catch_up_window_limits_how_far_a_run_looks_back() {
        let limit =
            |days: u32| look_back_to(LookBackSupport::Dates, Window::Past24Hours, ago(24 * 40), HOUR * 24 * days, NOW);
        assert_eq!(limit(30), Some(LookBack::Since(ago(24 * 30))));
        assert_eq!(limit(40), Some(LookBack::Since(ago(24 * 40))));
        assert_eq!(limit(366), Some(LookBack::Since(ago(24 * 40))));
        assert_eq!(limit(1), None);
    }

    #[test]
    fn a_full_reply_covers_from_its_oldest_dated_post_and_a_failed_one_nothing() {
        let social_query =
            |over| SearchQuery::Social(topic(SocialOperation::Basic, Window::Past24Hours).social.unwrap(), over);
        let post = |hours: u32, fit| Finding {
            source: Source::Social,
            found: ReplyEntry {
                published_at: (fit != WindowFit::Undated).then(|| ago(hours)),
                ..ReplyEntry::default()
            },
            kind: Kind::Post,
            keys: vec!["k".into()],
            strong: true,
            fit,
        };
        let posts = [post(2, WindowFit::In), post(30, WindowFit::Outside), post(5, WindowFit::In)];
        let undated = [post(0, WindowFit::Undated), post(30, WindowFit::Outside)];
        let at = |sent_at| SearchTime { seen_at: NOW, sent_at, allowance: HOUR / 6 };
        const CLAIMED: Time = Time(NOW.0 - 600_000);
        let day = LookBack::Window(Window::Past24Hours);
        let span = |from, until| Span::new(from, until);
        for (state, reply_span, findings, expected) in [
            (SearchState::Ok, ReplySpan::Whole, &posts[..], span(ago(24), CLAIMED)),
            (SearchState::Empty, ReplySpan::Whole, &[], span(ago(24), CLAIMED)),
            (SearchState::Ok, ReplySpan::FromOldest, &posts, span(ago(5), CLAIMED)),
            (SearchState::Ok, ReplySpan::Unfiltered, &posts, span(ago(5), CLAIMED)),
            (SearchState::Ok, ReplySpan::Unfiltered, &undated, None),
            (SearchState::Ok, ReplySpan::Sample, &posts, None),
            (SearchState::Ok, ReplySpan::FromOldest, &undated, None),
            (SearchState::Error, ReplySpan::Whole, &posts, None),
            (SearchState::Lost, ReplySpan::Whole, &[], None),
            (SearchState::NotRun, ReplySpan::Whole, &[], None),
            (SearchState::OverQuota, ReplySpan::Whole, &[], None),
        ] {
            let got = covered(&social_query(day), day.span(NOW), state, reply_span, findings, at(NOW));
            assert_eq!(got, expected, "{state} {reply_span:?}");
        }
        // It waited two hours for its permit: "the past 24 hours" began later, but a date stays the same.
        let sent = NOW.plus(HOUR * 2);
        let late = covered(&social_query(day), day.span(NOW), SearchState::Ok, ReplySpan::Whole, &[], at(sent));
        assert_eq!(late, span(ago(22), CLAIMED));
        let since = LookBack::Since(ago(30));
        let late = covered(&social_query(since), since.span(NOW), SearchState::Ok, ReplySpan::Whole, &[], at(sent));
        assert_eq!(late, span(ago(30), CLAIMED));
        let yesterday = LookBack::Day(NOW.utc_day() - 1);
        let full = covered(
            &social_query(yesterday),
            yesterday.span(NOW),
            SearchState::Ok,
            ReplySpan::FromOldest,
            &posts[..1],
            at(NOW),
        );
        assert_eq!(full, None, "what it found lies after the day");
    }
}
