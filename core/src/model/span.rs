//! Spans of time: what a search asks for and what it covered. Plain values; `search` knows which spans a request can
//! name, `insight` computes coverage.

use std::time::Duration;

use super::{Time, Window};

/// A half-open span of time: includes `from`, excludes `until`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Span {
    /// Its first instant.
    pub from: Time,
    /// The first instant after it.
    pub until: Time,
}

impl Span {
    /// The span between two instants; `None` if it is empty.
    #[must_use]
    pub fn new(from: Time, until: Time) -> Option<Self> {
        (from < until).then_some(Self { from, until })
    }

    #[must_use]
    pub fn length(self) -> Duration {
        self.until.since(self.from)
    }

    /// Whether an instant lies in the span.
    #[must_use]
    pub fn contains(self, at: Time) -> bool {
        self.from <= at && at < self.until
    }

    /// The intersection with another span.
    #[must_use]
    pub fn intersection(self, other: Self) -> Option<Self> {
        Self::new(self.from.max(other.from), self.until.min(other.until))
    }
}

/// A search for a span that ended this long before it was made is a backfill.
pub const BACKFILL_AFTER: Duration = Duration::from_secs(60);

/// Whether a search was a backfill: the time it asked about was already over. Its findings say nothing about the present.
#[must_use]
pub fn is_backfill(asked_until: Time, searched_at: Time) -> bool {
    asked_until.plus(BACKFILL_AFTER) < searched_at
}

/// How far back a search looks from the time at which it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookBack {
    /// The topic's window.
    Window(Window),
    /// Everything since a given time.
    Since(Time),
    /// One whole UTC day, by its number since 1970-01-01.
    Day(i64),
}

impl From<Window> for LookBack {
    fn from(window: Window) -> Self {
        Self::Window(window)
    }
}

impl LookBack {
    /// The span of a search made at `asked_at`; never beyond that time.
    #[must_use]
    pub fn span(self, asked_at: Time) -> Span {
        match self {
            Self::Window(window) => Span { from: asked_at.minus(window.length()), until: asked_at },
            Self::Since(from) => Span { from: from.min(asked_at), until: asked_at },
            Self::Day(day) => {
                let from = Time::of_utc_day(day);
                Span { from: from.min(asked_at), until: from.next_utc_day().min(asked_at) }
            }
        }
    }
}

/// Formats a duration in its two largest units: `3d`, `1d 4h`, `12m 30s`.
#[must_use]
pub fn format_duration(length: Duration) -> String {
    const UNITS: [(u64, &str); 4] = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")];
    let seconds = length.as_secs();
    let Some(first) = UNITS.iter().position(|(size, _)| seconds >= *size) else {
        return format!("{}ms", length.as_millis());
    };
    let mut rest = seconds;
    let mut parts = Vec::new();
    for (size, unit) in UNITS.iter().skip(first).take(2) {
        if rest >= *size {
            parts.push(format!("{}{unit}", rest / size));
        }
        rest %= size;
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;

    #[test]
    fn a_look_back_ends_now_or_at_the_end_of_its_day() {
        let noon = Time(10 * DAY + DAY / 2);
        for (look_back, from, until) in [
            (LookBack::Window(Window::Past24Hours), noon.0 - DAY, noon.0),
            (LookBack::Since(Time(3 * DAY)), 3 * DAY, noon.0),
            (LookBack::Since(Time(30 * DAY)), noon.0, noon.0),
            (LookBack::Day(9), 9 * DAY, 10 * DAY),
            (LookBack::Day(10), 10 * DAY, noon.0),
            (LookBack::Day(i64::MAX), noon.0, noon.0),
        ] {
            assert_eq!(look_back.span(noon), Span { from: Time(from), until: Time(until) }, "{look_back:?}");
        }
    }

    #[test]
    fn durations_are_worded_in_two_units() {
        for (seconds, formatted) in
            [(3 * 86_400, "3d"), (100_800, "1d 4h"), (90_000, "1d 1h"), (86_460, "1d"), (750, "12m 30s"), (59, "59s")]
        {
            assert_eq!(format_duration(Duration::from_secs(seconds)), formatted);
        }
        assert_eq!(format_duration(Duration::from_millis(430)), "430ms");
    }

    #[test]
    fn the_intersection_of_spans_is_their_common_part() {
        let span = |from, until| Span { from: Time(from), until: Time(until) };
        assert_eq!(span(0, 9).intersection(span(5, 20)), Some(span(5, 9)));
        assert_eq!(span(0, 5).intersection(span(5, 20)), None);
        assert_eq!(Span::new(Time(5), Time(5)), None);
    }
}
