//! The note that a topic had some sources for only a part of a period, for reports and pages. Its counts are then lower
//! bounds, even if the whole period was covered. `insight` knows which sources these are.

use super::format;
use crate::model::{Source, Span};

/// Maximum number of sources that are named.
const MOST_SOURCES: usize = 8;
/// Maximum number of times of a source.
const MOST_TIMES: usize = 8;

/// Returns the note, if there are such sources. `all` lists them with the times in which the topic had them, in order.
/// `period` ends at the present at the latest.
#[must_use]
pub fn note(all: &[(Source, Vec<Span>)], period: Span, timezone: &str) -> Option<String> {
    if all.is_empty() {
        return None;
    }
    let named = all.get(..MOST_SOURCES).unwrap_or(all);
    let mut names: Vec<String> =
        named.iter().map(|(source, had)| format!("{source} (only {})", times(had, timezone))).collect();
    let left_out = all.len() - named.len();
    if left_out > 0 {
        names.push(format!("and {left_out} more"));
    }
    let why: Vec<String> = named.iter().map(|(source, had)| format!("{source} was {}", change(had, period))).collect();
    let whose = if all.len() == 1 { "Its" } else { "Their" };
    let (names, why) = (names.join(", "), why.join(", "));
    Some(format!("Searched for a part of the period: {names}. {whose} items of the rest may be missing ({why})."))
}

/// Lists the latest times, and how many were earlier.
fn times(had: &[Span], timezone: &str) -> String {
    let earlier = had.len().saturating_sub(MOST_TIMES);
    let latest: Vec<String> = had.iter().skip(earlier).map(|span| format::span(*span, timezone)).collect();
    let latest = latest.join(", ");
    if earlier == 0 { latest } else { format!("{latest}, and {earlier} earlier") }
}

fn change(had: &[Span], period: Span) -> &'static str {
    let starts_later = had.first().is_some_and(|span| span.from > period.from);
    let ends_earlier = had.last().is_some_and(|span| span.until < period.until);
    match (starts_later, ends_earlier) {
        (true, true) => "added and removed",
        (true, false) => "added",
        (false, true) => "removed",
        (false, false) => "removed and added again",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;
    use crate::model::Time;

    const HOUR: i64 = 3_600_000;

    fn hours(from: i64, until: i64) -> Span {
        Span { from: Time(from * HOUR), until: Time(until * HOUR) }
    }

    #[test]
    fn the_note_names_a_bounded_number_of_sources_and_times() {
        let day = hours(0, 24);
        assert_eq!(note(&[], day, "UTC"), None);
        let one = note(&[(Source::Web, vec![hours(0, 12)])], day, "UTC");
        let expected = "Searched for a part of the period: web (only 1970-01-01 00:00 – 12:00). Its items of the rest may \
                        be missing (web was removed).";
        assert_eq!(one.as_deref(), Some(expected));

        let often: Vec<Span> = (0..12).map(|hour| hours(2 * hour, 2 * hour + 1)).collect();
        let note_of_often = note(&[(Source::Web, often)], day, "UTC").unwrap();
        assert!(note_of_often.contains("web (only 1970-01-01 08:00 – 09:00, "), "{note_of_often}");
        assert!(note_of_often.contains("22:00 – 23:00, and 4 earlier). Its"), "{note_of_often}");

        let many = vec![(Source::Web, vec![hours(6, 24)]); 11];
        let note_of_many = note(&many, day, "UTC").unwrap();
        assert_eq!(note_of_many.matches("web (only").count(), 8, "{note_of_many}");
        assert_eq!(note_of_many.matches("web was added").count(), 8, "{note_of_many}");
        assert!(note_of_many.contains("), and 3 more. Their"), "{note_of_many}");
    }
}
