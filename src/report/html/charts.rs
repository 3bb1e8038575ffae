//! Converts a topic's facts for its charts; `draw` draws them.

use super::super::facts::{HoleFacts, TopicFacts};
use crate::draw::chart::{Chart, ChartDay, ChartHole};
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
            asked_anew: self.asked_anew.clone(),
            usual: self.usual,
            all_alike: self.calendar.is_some(),
            each: "day",
            points: false,
        }
    }

    /// The part of a hole that lies within the days of the chart.
    fn chart_hole(&self, hole: &HoleFacts) -> Option<ChartHole> {
        let days = Span { from: self.days.first()?.span.from, until: self.days.last()?.span.until };
        Some(ChartHole { span: hole.span.intersection(days)?, before: hole.before })
    }
}
