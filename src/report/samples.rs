//! Sample facts for tests: a topic with nothing unusual, and a report of such topics.

use super::{Report, TopicFacts};
use crate::insight::daily::ItemCounts;
use crate::model::{Micros, ReportWindow, Source, Span, Time};

pub(super) const HOUR: i64 = 3_600_000;

/// A day of a topic: watched, covered, searched, and nothing found.
pub(super) fn topic(id: &str) -> TopicFacts {
    let tone = super::ToneFacts::default();
    let source = super::SourceFacts {
        source: Source::Social,
        searches: 4,
        failed: 0,
        refused_by_quota: 0,
        left_out: 0,
        last: "ok".into(),
        last_at: Time(23 * HOUR),
        fails: false,
        answers_since: None,
        over_quota: false,
        trouble: None,
        saturated: 0,
        cost: Micros(0),
    };
    TopicFacts {
        id: id.into(),
        title: id.into(),
        began: Some(Time(-48 * HOUR)),
        searched_since: Some(Time(-48 * HOUR)),
        tried: true,
        first_day: false,
        unwatched: false,
        unanswered: false,
        period: ItemCounts::default(),
        saturated: false,
        unseen: false,
        searched_share: 1.0,
        partly_uncovered: false,
        full_pages: false,
        earlier: 0,
        outside: 0,
        filtered: 0,
        uncompared: false,
        unjudged: 0,
        changes: None,
        asked_anew: Vec::new(),
        asked_since: None,
        sources_since: None,
        ill: Vec::new(),
        usual: None,
        comparable: 2,
        earlier_days: Vec::new(),
        calendar: None,
        covered: Some(1.0),
        checks: None,
        covered_in_all: 1.0,
        open: None,
        days: Vec::new(),
        relevance: Default::default(),
        late_ms: 0,
        holes: Vec::new(),
        tone,
        why: Default::default(),
        answer: None,
        top_posts: Vec::new(),
        top_pages: Vec::new(),
        rising: Vec::new(),
        negative: Vec::new(),
        positive: Vec::new(),
        campaigns: Vec::new(),
        terms: Default::default(),
        domains: Vec::new(),
        authors: Vec::new(),
        found_by: Default::default(),
        sources: vec![source],
        cost: Some(Micros(0)),
        not_kept: None,
        kept_from: None,
        rows: Vec::new(),
        rows_left_out: 0,
        cut: false,
        period_cut: false,
        risers_compared: true,
        risers_cut: false,
        risers_pruned: false,
        searches_cut: false,
        pruned: None,
    }
}

/// A report about the first day of 1970, made an hour after it.
pub(super) fn report(topics: Vec<TopicFacts>) -> Report {
    Report {
        name: "daily".into(),
        title: "Daily".into(),
        timezone: "UTC".into(),
        window: ReportWindow::Day,
        span: Span { from: Time(0), until: Time(24 * HOUR) },
        date: "1970-01-01".into(),
        made_at: Time(25 * HOUR),
        since: None,
        seq: 1,
        sandbox: false,
        group: None,
        matters: Vec::new(),
        matters_left_out: 0,
        voice: Vec::new(),
        voice_parts: Vec::new(),
        cost: Some(Micros(0)),
        topics,
    }
}
