//! Formats numbers, times and external text for people, in all output formats: on one line, without characters that
//! control a terminal or change the text direction. Each output format does its own escaping.

use std::time::Duration;

use crate::insight::daily::{ItemCounts, Rise, Share};
pub use crate::model::number;
use crate::model::{Span, Time, Tone, visible_words, whole_start};

/// Shown with shares of tone: how many posts count as negative depends on their subject.
pub const COMPARE_TONE: &str =
    "How the words sound, not what authors think of the topic. Compare days and topics; do not quote shares.";
/// Shown if not all reactions were compared.
pub const RISERS_CUT: &str =
    "Too many sightings with reactions to compare all: only the latest of the period were compared.";
/// Shown with rising items if runs before them were pruned.
pub const RISERS_PRUNED: &str = "Runs were pruned: these may have begun to rise earlier, and others may be missing.";

/// Maximum number of times in a list.
const MAX_TIMES: usize = 8;

/// Shown for a figure of pruned items.
pub const NOT_KEPT: &str = "not kept";

/// Shown in place of a number of authors if none is known: their handles were not given, or were pruned.
pub const AUTHORS_UNKNOWN: &str = "authors unknown";

/// Makes words a sentence.
#[must_use]
pub fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

/// Shown instead of counts if nothing was searched in the period.
pub const UNSEARCHED: &str = "Nothing was searched in this period, so nothing is known about it.";

/// The same if searches were made, but covered nothing of the period.
pub const UNCOVERED: &str = "No search covered any of this period, so nothing is known about it.";

/// Shown instead of counts if no item of a period is known and its searches were pruned.
pub const PRUNED: &str = "The searches of this period were pruned, and no item of it is known.";

/// Shown if not all searches were read.
pub const SEARCHES_CUT: &str = "Too many searches to read all: counts and cost cover only the latest.";

/// Formats external text on one line of at most `most` characters. Removes control characters, characters that change
/// the text direction, and invisible ones.
#[must_use]
pub fn line(text: &str, most: usize) -> String {
    let mut result = String::new();
    let mut length = 0;
    for word in visible_words(text) {
        if length > 0 {
            result.push(' ');
            length += 1;
        }
        let room = most.saturating_sub(length);
        if word.chars().count() > room {
            result.push_str(whole_start(&word, room.saturating_sub(1), |_| 1));
            result.push('…');
            return result;
        }
        length += word.chars().count();
        result.push_str(&word);
    }
    result
}

/// Formats a signed number.
#[must_use]
pub fn signed(n: i64) -> String {
    format!("{}{}", if n < 0 { "−" } else { "" }, number(n.unsigned_abs()))
}

/// Formats a number, with `≥` if there may be more.
#[must_use]
pub fn at_least(n: u64, more: bool) -> String {
    format!("{}{}", if more { "≥\u{a0}" } else { "" }, number(n))
}

/// Formats as `1 post`, `2 posts`.
#[must_use]
pub fn count_noun(n: u64, one: &str) -> String {
    format!("{} {one}{}", number(n), if n == 1 { "" } else { "s" })
}

/// Formats as `≥ 2 posts` if there may be more.
#[must_use]
pub fn at_least_noun(n: u64, more: bool, one: &str) -> String {
    format!("{}{}", if more { "≥\u{a0}" } else { "" }, count_noun(n, one))
}

/// Formats as `+327 reactions and bookmarks (279 before), 54.5 an hour`.
#[must_use]
pub fn rise(rise: &Rise) -> String {
    format!(
        "+{} reactions and bookmarks ({} before), {} an hour",
        signed(rise.gain),
        signed(rise.had),
        round(rise.per_hour)
    )
}

/// Formats a number of items, as posts if all are posts.
#[must_use]
pub fn items(all: u64, posts: u64) -> String {
    count_noun(all, if posts == all { "post" } else { "item" })
}

/// Returns the id of a topic's section on the page. It is unique for every topic, because topic ids contain no dot.
#[must_use]
pub fn id(topic: &str, section: &str) -> String {
    if section.is_empty() { format!("t-{topic}") } else { format!("t-{topic}.{section}") }
}

/// Formats a number that is usually whole.
#[must_use]
pub fn round(value: f64) -> String {
    // Rounded explicitly: the formatter rounds half to even, so 286.5 would become 286 but 391.5 would become 392.
    if value.fract() == 0.0 || value.abs() >= 100.0 { format!("{:.0}", value.round()) } else { format!("{value:.1}") }
}

/// Returns hundredths without the error of the division, so that 23 of 40 is 57.5 and rounds like it.
#[must_use]
pub fn hundredths(part: f64) -> f64 {
    (part * 1e11).round() / 1e9
}

/// Formats as `42%`. Only a part of zero is `0%`, and only the whole is `100%`; others near them are `<1%` and `>99%`.
#[must_use]
pub fn percent(part: f64) -> String {
    let rounded = format!("{:.0}%", hundredths(part));
    match &*rounded {
        "0%" if part > 0.0 => "<1%".to_owned(),
        "100%" if part < 1.0 => ">99%".to_owned(),
        _ => rounded,
    }
}

/// Formats a percentage that is below a limit: it is not rounded to the limit. 89.9 % is `89%` if the limit is 90 %.
#[must_use]
pub fn percent_below(part: f64, limit: f64) -> String {
    if percent(part) == percent(limit) { format!("{:.0}%", (part * 100.0).floor()) } else { percent(part) }
}

/// Formats a percentage and a bound that it exceeds, with enough digits to distinguish the two.
#[must_use]
pub fn percents_apart(part: f64, bound: f64) -> (String, String) {
    let alike = percent(part) == percent(bound);
    let format = |part: f64| if alike { format!("{:.1}%", part * 100.0) } else { percent(part) };
    (format(part), format(bound))
}

/// Formats the size of a change as `42%`, below one percent as `0.4%`. Only the whole is `100%`; a smaller part near it
/// is `>99%`.
#[must_use]
pub fn change_percent(part: f64) -> String {
    match hundredths(part) {
        small if small < 0.05 => "<0.1%".to_owned(),
        small if small < 0.95 => format!("{small:.1}%"),
        nearly if (99.5..100.0).contains(&nearly) => ">99%".to_owned(),
        size => format!("{size:.0}%"),
    }
}

/// Formats a lower or upper bound, rounded so that it holds: `≥ 59%`, `≤ 2%`, `> 0%`.
#[must_use]
pub fn bounded_percent(part: f64, lower: bool) -> String {
    // Adds or subtracts less than an error of the division, so that 7 of 25 stays 28 %.
    let hundredths = part * 100.0;
    match lower {
        true if part > 0.0 && hundredths < 1.0 => ">\u{a0}0%".to_owned(),
        true => format!("≥\u{a0}{:.0}%", (hundredths + 1e-9).floor()),
        false => format!("≤\u{a0}{:.0}%", (hundredths - 1e-9).ceil()),
    }
}

/// Formats as `42% (35–49%)`.
#[must_use]
pub fn share(share: &Share) -> String {
    format!("{} {}", percent(share.share), interval(share))
}

/// Formats as `(35–49%)`. No end is rounded so that it excludes the share: `(0–<1%)`, `(>99–100%)`.
#[must_use]
pub fn interval(share: &Share) -> String {
    let (low, high) = (share.low * 100.0, share.high * 100.0);
    let low = if (99.5..100.0).contains(&low) { ">99".to_owned() } else { format!("{low:.0}") };
    let high = if high > 0.0 && high <= 0.5 { "<1".to_owned() } else { format!("{high:.0}") };
    format!("({low}–{high}%)")
}

/// Formats as `≥ 42% (≥ 12)`: a share and its count. If there may be more of the part or of the rest than counted, the
/// share is a bound (`≥`, `≤`); if of both, an estimate (`≈`).
#[must_use]
pub fn share_with_count(share: Option<Share>, more: bool, more_elsewhere: bool) -> String {
    let count = share.map_or_else(String::new, |share| format!(" ({})", at_least(share.part, more)));
    bounded_share(share, more, more_elsewhere) + &count
}

/// Formats such a share without its count; `–` if there is none.
#[must_use]
pub fn bounded_share(share: Option<Share>, more: bool, more_elsewhere: bool) -> String {
    // Zero items are 0 % of any total, and all items stay all if there are no others.
    let nothing = share.is_some_and(|share| share.part == 0);
    let all = !more_elsewhere && share.is_some_and(|share| share.part == share.whole);
    let bounded = |part: f64| match (more && !all, more_elsewhere && !nothing) {
        (false, false) => percent(part),
        (true, false) => bounded_percent(part, true),
        (false, true) => bounded_percent(part, false),
        (true, true) => format!("≈\u{a0}{}", percent(part)),
    };
    share.map_or("–".to_owned(), |share| bounded(share.share))
}

/// Formats the number of authors, or `unknown` if all are unknown: that differs from 0.
#[must_use]
pub fn authors(counted: &ItemCounts, more: bool) -> String {
    if counted.authors == 0 && counted.no_author > 0 { "unknown".to_owned() } else { at_least(counted.authors, more) }
}

/// Formats an instant relative to another: without the year if it is within half a year.
#[must_use]
pub fn date_time_near(at: Time, reference: Time, timezone: &str) -> String {
    const HALF_A_YEAR: u64 = 182 * 86_400_000;
    if at.0.abs_diff(reference.0) < HALF_A_YEAR { date_time_short(at, timezone) } else { date_time(at, timezone) }
}

/// Formats local date and time to the minute.
#[must_use]
pub fn date_time(at: Time, timezone: &str) -> String {
    local(at, timezone, "%Y-%m-%d %H:%M")
}

/// Lists local dates and times to the minute, each once: the latest, and how many were earlier.
#[must_use]
pub fn date_times(at: &[Time], timezone: &str) -> String {
    let mut at = at.to_vec();
    at.sort_unstable();
    let mut minutes: Vec<String> = at.into_iter().map(|at| date_time(at, timezone)).collect();
    minutes.dedup();
    let earlier = minutes.len().saturating_sub(MAX_TIMES);
    let latest = minutes.split_off(earlier).join(", ");
    if earlier == 0 { latest } else { format!("{latest}, and {earlier} earlier") }
}

/// Formats date and time with the UTC offset, for readers in other zones.
#[must_use]
pub fn with_offset(at: Time, timezone: &str) -> String {
    local(at, timezone, "%Y-%m-%d %H:%M UTC%:z").replace("UTC+00:00", "UTC")
}

/// Formats date and time without the year.
#[must_use]
pub fn date_time_short(at: Time, timezone: &str) -> String {
    local(at, timezone, "%m-%d %H:%M")
}

fn local(at: Time, timezone: &str, format: &str) -> String {
    let zone = jiff::tz::TimeZone::get(timezone).unwrap_or(jiff::tz::TimeZone::UTC);
    at.to_jiff().map_or_else(String::new, |at| at.to_zoned(zone).strftime(format).to_string())
}

/// Formats a span; the end has no date if it is the same.
#[must_use]
pub fn span(span: Span, timezone: &str) -> String {
    let (from, until) = (date_time(span.from, timezone), date_time(span.until, timezone));
    let same = from.get(..10) == until.get(..10);
    format!("{from} – {}", if same { until.get(11..).unwrap_or(&until) } else { &until })
}

/// Formats the length of a span.
#[must_use]
pub fn length(span: Span) -> String {
    match span.length().as_secs() / 60 {
        0 => "under a minute".to_owned(),
        minutes => crate::model::format_duration(Duration::from_secs(minutes * 60)),
    }
}

/// Formats a score from −1 to 1.
#[must_use]
pub fn score(thousandths: i64) -> String {
    let hundredths = (thousandths.unsigned_abs() + 5) / 10;
    format!("{}{}.{:02}", if thousandths < 0 { "−" } else { "+" }, hundredths / 100, hundredths % 100)
}

/// Returns the tone in a word.
#[must_use]
pub fn tone(sound: Option<Tone>) -> &'static str {
    sound.map_or("not scored", Tone::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_one_line_without_control_characters() {
        for (text, most, expected) in [
            ("  one\n two\t", 20, "one two"),
            ("a\u{202e}b \u{1b}[2J \u{7}", 20, "ab [2J"),
            ("a\u{200b}b\u{e0001} 👩‍👩‍👧", 20, "ab 👩‍👩‍👧"),
            ("abcdef ghi", 8, "abcdef …"),
            ("abc🇩🇪fghi", 5, "abc…"),
            ("", 4, ""),
        ] {
            assert_eq!(line(text, most), expected);
        }
    }

    #[test]
    fn only_the_latest_times_are_listed_and_each_minute_once() {
        let minute = |n: i64| Time(n * 60_000);
        assert_eq!(date_times(&[], "UTC"), "");
        let same: Vec<Time> = (0..33).map(|n| Time(60_000 + n)).collect();
        assert_eq!(date_times(&same, "UTC"), "1970-01-01 00:01");
        assert_eq!(date_times(&[minute(2), minute(1)], "UTC"), "1970-01-01 00:01, 1970-01-01 00:02");
        let many = date_times(&(0..11).map(minute).collect::<Vec<_>>(), "UTC");
        assert!(many.starts_with("1970-01-01 00:03, ") && many.ends_with(" 00:10, and 3 earlier"), "{many}");
        assert_eq!(many.matches("1970").count(), 8);
    }

    #[test]
    fn numbers_are_formatted_with_separators_and_units() {
        assert_eq!((number(0), number(999), number(1_234_567)), ("0".into(), "999".into(), "1,234,567".into()));
        assert_eq!((score(-1_000), score(5), score(456)), ("−1.00".into(), "+0.01".into(), "+0.46".into()));
        assert_eq!((items(3, 3), items(3, 2), items(1, 0)), ("3 posts".into(), "3 items".into(), "1 item".into()));
        let formatted = [0.0, 0.005, 0.006, 0.5, 0.994, 0.996, 1.0].map(percent);
        assert_eq!(formatted, ["0%", "<1%", "1%", "50%", "99%", ">99%", "100%"]);
        // The parts of forty add up.
        assert_eq!((percent(23.0 / 40.0), percent(17.0 / 40.0)), ("58%".into(), "42%".into()));
        let changes = [299.0 / 300.0, 0.994, 1.0, 2.5, 0.004, 0.0001].map(change_percent);
        assert_eq!(changes, [">99%", "99%", "100%", "250%", "0.4%", "<0.1%"]);
        let bound =
            |part: u64, more, elsewhere| share_with_count(crate::insight::daily::share(part, 1_000), more, elsewhere);
        assert_eq!(bound(595, true, false), "≥\u{a0}59% (≥\u{a0}595)");
        assert_eq!(bound(12, false, true), "≤\u{a0}2% (12)");
        assert_eq!(bound(2, false, true), "≤\u{a0}1% (2)");
        assert_eq!(bound(2, true, false), ">\u{a0}0% (≥\u{a0}2)");
        assert_eq!(bound(280, true, false), "≥\u{a0}28% (≥\u{a0}280)");
        assert_eq!(bound(280, false, true), "≤\u{a0}28% (280)");
        assert_eq!(at_least(1_200, true), "≥\u{a0}1,200");
        assert_eq!([12.0, 12.25, 123.4, 286.5].map(round), ["12", "12.2", "123", "287"]);
        let interval_of = |part: u64| crate::insight::daily::share(part, 5_000).as_ref().map(interval);
        let intervals = ["(0–<1%)", "(0–<1%)", "(49–51%)", "(>99–100%)", "(>99–100%)"];
        assert_eq!([0, 1, 2_500, 4_999, 5_000].map(interval_of), intervals.map(|one| Some(one.to_owned())));
    }
}
