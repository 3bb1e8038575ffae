//! Converts a topic's facts for its charts; `draw` draws them.

use super::super::facts::TopicFacts;
use crate::draw::chart::{Chart, ChartDay, ChartHole};

impl TopicFacts {
    /// Returns the data of its charts.
    pub(super) fn chart(&self) -> Chart {
        let days = self.days.iter().map(|day| ChartDay {
            date: day.date.clone(),
            span: day.span,
            all: day.counted.raw,
            unique: day.counted.unique,
            saturated: day.at_least,
            scored: day.tones.sample(),
            negative: day.negative,
            positive: day.positive,
        });
        Chart {
            id: self.id.clone(),
            title: self.title.clone(),
            days: days.collect(),
            holes: self.holes.iter().map(|hole| ChartHole { span: hole.span, before: hole.before }).collect(),
            asked_anew: self.asked_anew.clone(),
            usual: self.usual,
            all_alike: self.calendar.is_some(),
            each: "day",
            points: false,
        }
    }
}
