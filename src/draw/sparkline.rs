//! Small charts for table cells: items per day, and their tones. A label lists the days for screen readers.

use maud::{Markup, html};

use super::format;

/// A day of a small chart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SparkDay {
    /// `2026-03-11`.
    pub date: String,
    /// Whether nothing is known about it.
    pub unknown: bool,
    pub items: u64,
    /// The tones of the scored items.
    pub negative: u64,
    pub neutral: u64,
    pub positive: u64,
}

/// The text for days and spans about which nothing is known.
const UNKNOWN: &str = "nothing known";

const WIDTH: f64 = 140.0;
const HEIGHT: f64 = 32.0;

fn c(value: f64) -> String {
    format!("{value:.1}")
}

#[expect(clippy::cast_precision_loss, reason = "counts of items and days")]
fn to_f64(n: u64) -> f64 {
    n as f64
}

fn step(days: &[SparkDay]) -> f64 {
    WIDTH / to_f64(days.len().max(1) as u64)
}

/// Draws items per day.
#[must_use]
pub fn volume(days: &[SparkDay]) -> Markup {
    let most = days.iter().map(|day| day.items).max().unwrap_or(0).max(1);
    let count = |day: &SparkDay| match day.unknown {
        true => UNKNOWN.to_owned(),
        false => format::number(day.items),
    };
    let labels: Vec<String> = days.iter().map(|day| format!("{}: {}", day.date, count(day))).collect();
    html! {
        svg.spark viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(format!("Items a day. {}", labels.join(", "))) {
            @for (place, day) in days.iter().enumerate() {
                @let x = to_f64(place as u64) * step(days);
                @let height = (to_f64(day.items) / to_f64(most) * (HEIGHT - 2.0)).max(1.0);
                rect class=(if day.items == 0 { "none" } else if place + 1 == days.len() { "bar now" } else { "bar" }) x=(c(x + 1.0)) y=(c(HEIGHT - height)) width=(c(step(days) - 2.0)) height=(c(height)) { title { (day.date) ": " @if day.unknown { (UNKNOWN) } @else { (format::count_noun(day.items, "item")) } } }
            }
        }
    }
}

/// Draws the tones of each day's scored items: negative on top, positive at the bottom.
#[must_use]
pub fn tone(days: &[SparkDay]) -> Markup {
    let labels: Vec<String> = days
        .iter()
        .map(|day| match day.unknown {
            true => format!("{}: {UNKNOWN}", day.date),
            false => {
                format!("{}: {} negative, {} neutral, {} positive", day.date, day.negative, day.neutral, day.positive)
            }
        })
        .collect();
    html! {
        svg.spark viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(format!("Tone a day. {}", labels.join("; "))) {
            @for (place, day) in days.iter().enumerate() {
                @let x = to_f64(place as u64) * step(days) + 1.0;
                @let all = day.negative + day.neutral + day.positive;
                @if all == 0 { rect.none x=(c(x)) y=(c(HEIGHT - 1.0)) width=(c(step(days) - 2.0)) height="1" {} }
                @else {
                    @let part = |n: u64| to_f64(n) / to_f64(all) * HEIGHT;
                    @let (negative, neutral) = (part(day.negative), part(day.neutral));
                    @for (class, y, height) in [("negative", 0.0, negative), ("neutral", negative, neutral), ("positive", negative + neutral, part(day.positive))] {
                        @if height > 0.05 { rect class=(class) x=(c(x)) y=(c(y)) width=(c(step(days) - 2.0)) height=(c(height)) {
                            title { (day.date) ": " (day.negative) " negative, " (day.neutral) " neutral, " (day.positive) " positive" }
                        } }
                    }
                }
            }
        }
    }
}

/// Returns the total of the known days, in words, and how many days that are if not all are known; with `≥` if there may
/// be more.
#[must_use]
pub fn sum(days: &[SparkDay], more: bool) -> String {
    let known = days.iter().filter(|day| !day.unknown).count();
    let items = format::at_least_noun(days.iter().map(|day| day.items).sum(), more, "item");
    match known {
        0 => UNKNOWN.to_owned(),
        all if all == days.len() => items,
        some => format!("{items} in {}", format::count_noun(some as u64, "day")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_days_are_not_shown_as_zero() {
        let day = |date: &str, unknown, items| SparkDay { date: date.into(), unknown, items, ..SparkDay::default() };
        let days = [day("03-01", true, 0), day("03-02", false, 0), day("03-03", false, 1_000)];
        assert_eq!(sum(&days, false), "1,000 items in 2 days");
        assert_eq!(sum(days.get(1..).unwrap_or_default(), true), "≥\u{a0}1,000 items");
        assert_eq!(sum(days.get(..1).unwrap_or_default(), true), "nothing known");
        let drawn = volume(&days).into_string();
        assert!(drawn.contains("Items a day. 03-01: nothing known, 03-02: 0, 03-03: 1,000"), "{drawn}");
        assert!(
            drawn.contains("<title>03-01: nothing known</title>") && drawn.contains("<title>03-02: 0 items</title>")
        );
        assert!(tone(&days).into_string().contains("03-01: nothing known; 03-02: 0 negative"));
    }
}
