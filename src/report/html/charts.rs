//! Converts a topic's facts for its charts; `draw` draws them.

use std::collections::BTreeSet;

use super::super::facts::{HoleFacts, TopicFacts};
use crate::draw::chart::{Chart, ChartDay, ChartHole};
use crate::draw::lower_bounds;
use crate::insight::daily::GapReason;
use crate::model::Span;

impl TopicFacts {
    /// Returns the data of its charts.
    pub(super) fn chart(&self) -> Chart {
        let days = self.days.iter().map(|day| ChartDay {
            date: day.date.clone(),
            span: day.span,
            all: day.counted.raw,
            unique: day.counted.unique,
            at_least: day.at_least,
            uncovered: day.is_uncovered(),
            scored: day.tones.sample(),
            negative: day.negative,
            positive: day.positive,
        });
        Chart {
            id: self.id.clone(),
            title: self.title.clone(),
            days: days.collect(),
            holes: self.holes.iter().filter_map(|hole| self.chart_hole(hole)).collect(),
            query_changed_at: self.query_changed_at.clone(),
            usual: self.usual,
            all_alike: self.calendar.is_some(),
            each: "day",
            points: false,
        }
    }

    /// Says why counts in its chart are lower bounds; empty if none is.
    pub(super) fn chart_bounds(&self) -> String {
        let marked = || self.days.iter().filter(|day| day.at_least && !day.is_uncovered());
        let reasons: BTreeSet<GapReason> = marked().flat_map(|day| day.gap_reasons.iter().copied()).collect();
        lower_bounds::note(&reasons, marked().any(|day| day.sources_changed), "day")
    }

    /// The part of a hole that lies within the days of the chart.
    fn chart_hole(&self, hole: &HoleFacts) -> Option<ChartHole> {
        let days = Span { from: self.days.first()?.span.from, until: self.days.last()?.span.until };
        Some(ChartHole { span: hole.span.intersection(days)?, before: hole.before })
    }
}
