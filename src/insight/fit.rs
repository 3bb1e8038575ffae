//! Whether an item was fresh when a topic saw it first, from its date alone: for readers that have the item and not the
//! search that found it.

use std::time::Duration;

use crate::model::{Time, WindowFit};

/// In the window, older than it, or without a date. Of a topic whose window is not known, whatever has a date is in it.
#[must_use]
pub fn fit_of(published: Option<Time>, first_seen: Time, window: Option<Duration>) -> WindowFit {
    match (published, window) {
        (None, _) => WindowFit::Undated,
        (Some(published), Some(window)) if published < first_seen.minus(window) => WindowFit::Outside,
        _ => WindowFit::In,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_fresh_within_its_window_before_it_was_seen_first() {
        let window = Some(Duration::from_secs(86_400));
        let day = Time(2 * 86_400_000);
        for (published, window, expected) in [
            (Some(Time(86_400_000)), window, WindowFit::In),
            (Some(Time(86_399_999)), window, WindowFit::Outside),
            (Some(day), window, WindowFit::In),
            (Some(Time(0)), None, WindowFit::In),
            (None, window, WindowFit::Undated),
        ] {
            assert_eq!(fit_of(published, day, window), expected, "{published:?}");
        }
    }
}
