//! Warnings of `plan` about runs that are further apart than the window of their searches.

use std::collections::HashMap;
use std::time::Duration;

use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::insight::{Forecast, TopicForecast};
use crate::schedule::format_duration;
use crate::search::catches_up;

/// Removes gaps that only a clock change causes, if the runs look back over them by themselves.
pub(super) fn remove_covered_gaps(context: &Context, forecast: &mut Forecast) {
    let topics = context.config.topics.iter();
    let searches = topics.filter_map(|topic| {
        Some((topic.id.as_str(), (topic.window, topic.social.as_ref()?, topic.schedule.as_ref()?)))
    });
    let searches: HashMap<&str, _> = searches.collect();
    for row in forecast.topics.iter_mut().filter(|row| row.clock_change.is_some()) {
        let Some((window, query, policy)) = searches.get(row.topic.as_str()).copied() else { continue };
        let over = Duration::from_millis(row.uncovered_ms.and_then(|over| u64::try_from(over).ok()).unwrap_or(0));
        let (gap, catch_up) = (window.length() + over, Duration::from_millis(policy.catch_up_window_ms));
        if catches_up(context.config.service.dialect, query, window, gap, catch_up) {
            (row.uncovered_ms, row.clock_change) = (None, None);
        }
    }
}

/// Formats one line per topic with a gap.
pub(super) fn render_gaps(forecast: &Forecast) -> String {
    const MOST: usize = 12;
    let rare: Vec<(&TopicForecast, u64)> =
        forecast.topics.iter().filter_map(|row| Some((row, u64::try_from(row.uncovered_ms?).ok()?))).collect();
    let warning = |words: &str| output::wrap("! ", words, usize::from(output::width()));
    let mut text = String::new();
    for (row, over) in rare.iter().take(MOST) {
        let over = format_duration(Duration::from_millis(*over));
        text.push_str(&warning(&match &row.clock_change {
            None => {
                format!("{}: runs less often than its window; up to {over} between runs is not covered.", row.topic)
            }
            Some(date) => format!("{}: {over} is not covered on {date}, when the clock changes.", row.topic),
        }));
    }
    if rare.len() > MOST {
        let more = rare.len() - MOST;
        text.push_str(&warning(&format!("… and {more} more topics that run less often than their windows.")));
    }
    text
}
