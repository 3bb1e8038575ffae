//! Puts the comparison of a week or month with the one before into words. Plain changes without a verdict: usual
//! numbers exist only for days. `calendar` reads the figures.

use super::calendar::CalendarFacts;
use super::count_change::{Change, Count};
use crate::insight::daily::{ItemCounts, Share};
use crate::model::{Micros, Tone};
use crate::report::coverage::covered_or_checks;
use crate::report::facts::TopicFacts;
use crate::report::format::{self, at_least, number};

/// A figure of both periods and its change, in words.
pub(in crate::report) struct Row {
    pub(in crate::report) figure: &'static str,
    pub(in crate::report) now: String,
    pub(in crate::report) before: String,
    pub(in crate::report) change: String,
}

impl TopicFacts {
    /// Returns the name of its period: `day`, `week`, `month`.
    pub(in crate::report) fn noun(&self) -> &'static str {
        self.calendar.as_ref().map_or("day", |calendar| calendar.unit.noun())
    }
}

impl CalendarFacts {
    /// Returns a name such as `week before (2026-W11)`.
    pub(in crate::report) fn before_words(&self) -> String {
        format!("{} before ({})", self.unit.noun(), self.before.name)
    }

    /// Returns the reason in place of a comparison: `Week before (2026-W11): not compared, only 40% covered.`
    pub(in crate::report) fn not_compared_note(&self) -> Option<String> {
        let why = self.before.why.as_ref()?;
        Some(format::sentence(&format!("{}: not compared, {why}", self.before_words())))
    }

    /// Returns the items of the period before, for the overview.
    pub(in crate::report) fn before_items(&self) -> String {
        self.before.figures.as_ref().map_or("–".to_owned(), |figures| at_least(figures.counted.raw, figures.at_least))
    }

    /// Describes the period's items relative to the period before.
    pub(in crate::report) fn compared(&self, topic: &TopicFacts) -> String {
        let noun = self.unit.noun();
        let Some(figures) = &self.before.figures else {
            let why = self.before.why.as_deref().unwrap_or("reason unknown");
            return format!("not compared with the {noun} before: {why}");
        };
        if figures.saturated || topic.incomplete_reason().is_some() {
            return format!("{} in the {noun} before; not compared: incomplete", self.before_items());
        }
        let now = Count::of(topic.period.raw, topic.may_be_more());
        let before = Count::of(figures.counted.raw, figures.at_least);
        match now.change_from(before) {
            Change::Unknown => format!("{} in the {noun} before; not compared: there may be more", self.before_items()),
            Change::Alike => format!("as many as in the {noun} before"),
            Change::FromNone => format!("none in the {noun} before"),
            // "35 times as many as in the month before", "+12% from the month before".
            Change::By(change) => {
                let than = if change.ends_with("as many") { "as in" } else { "from" };
                format!("{change} {than} the {noun} before{}", self.change_a_day(topic, now, before))
            }
        }
    }

    /// Returns the change of the items a day, if the two periods have different numbers of days, as months do.
    fn change_a_day(&self, topic: &TopicFacts, now: Count, before: Count) -> String {
        const DAY: f64 = 86_400.0;
        let days_before = (self.before.span.length().as_secs_f64() / DAY).round();
        #[expect(clippy::cast_precision_loss, reason = "a count of days")]
        let days = topic.days.len() as f64;
        if days < 1.0 || days_before < 1.0 || (days - days_before).abs() < 0.5 {
            return String::new();
        }
        let now = Count { value: now.value / days, ..now };
        let before = Count { value: before.value / days_before, ..before };
        let is_exact = !now.at_least && !before.at_least;
        if is_exact && (now.value - before.value).abs() < 0.0005 * before.value {
            return ", as many a day".to_owned();
        }
        match now.change_from(before) {
            Change::By(change) => format!(", {change} a day"),
            Change::Unknown | Change::Alike | Change::FromNone => String::new(),
        }
    }

    /// Returns both periods side by side; empty if they cannot be compared.
    pub(in crate::report) fn rows(&self, topic: &TopicFacts) -> Vec<Row> {
        let Some(before) = &self.before.figures else { return Vec::new() };
        let (now, then) = (&topic.period, &before.counted);
        let more = topic.incomplete_reason().is_some() || before.saturated;
        // A change means nothing if it is unknown how much higher the counts may be.
        let counts = |now: u64, then: u64| match Count::of(now, topic.may_be_more())
            .change_from(Count::of(then, before.at_least))
        {
            _ if more => "may be more".to_owned(),
            change => words(change),
        };
        let has_authors = |counted: &ItemCounts| counted.authors > 0 || counted.no_author == 0;
        let authors =
            if has_authors(now) && has_authors(then) { counts(now.authors, then.authors) } else { "–".to_owned() };
        let mut rows = vec![
            Row {
                figure: "Items",
                now: at_least(now.raw, topic.may_be_more()),
                before: at_least(then.raw, before.at_least),
                change: counts(now.raw, then.raw),
            },
            Row {
                figure: "Unique",
                now: at_least(now.unique, topic.may_be_more()),
                before: at_least(then.unique, before.at_least),
                change: counts(now.unique, then.unique),
            },
            Row {
                figure: "Authors",
                now: format::authors(now, topic.may_be_more()),
                before: format::authors(then, before.at_least),
                change: authors,
            },
            Row {
                figure: "Scored",
                now: number(topic.tone.period.sample()),
                before: number(before.tones.sample()),
                change: counts(topic.tone.period.sample(), before.tones.sample()),
            },
        ];
        for (figure, sound) in [("Negative", Tone::Negative), ("Neutral", Tone::Neutral), ("Positive", Tone::Positive)]
        {
            let of =
                |shares: &[(Tone, Share)]| shares.iter().find(|(other, _)| *other == sound).map(|(_, share)| *share);
            let (now, then) = (of(&topic.tone.shares), of(&before.shares));
            let format_share = |share: Option<Share>| share.as_ref().map_or("–".to_owned(), format::share);
            let change = now.zip(then).map_or("–".to_owned(), |(now, then)| format_points(now.share, then.share));
            rows.push(Row { figure, now: format_share(now), before: format_share(then), change });
        }
        let covered = Some(covered_or_checks(before.covered, before.checks));
        let cost = before.cost.map(|cost| cost.to_string());
        let spent = topic.cost.filter(|_| !topic.searches_cut).zip(before.cost).map(|(now, then)| {
            let to_u64 = |cost: Micros| u64::try_from(cost.0).unwrap_or(0);
            words(Count::of(to_u64(now), false).change_from(Count::of(to_u64(then), false)))
        });
        for (figure, now, then, change) in [
            (
                "Covered",
                topic
                    .covered
                    .map_or(format::NOT_KEPT.to_owned(), |_| covered_or_checks(topic.covered_in_all, topic.checks)),
                covered,
                None,
            ),
            ("Cost", topic.cost_words(), cost, spent),
        ] {
            let [before, change] = [then, change].map(|cell| cell.unwrap_or_else(|| "–".to_owned()));
            rows.push(Row { figure, now, before, change });
        }
        rows
    }
}

/// Formats the change of a count for a table.
fn words(change: Change) -> String {
    match change {
        Change::Unknown => "may be more".to_owned(),
        Change::Alike => "none".to_owned(),
        Change::FromNone => "from none".to_owned(),
        Change::By(change) => change,
    }
}

/// Formats the change of a share from the two rounded percentages: `+3 points`.
fn format_points(now: f64, before: f64) -> String {
    // Round as `format` does.
    let rounded = |part: f64| format::hundredths(part).round_ties_even();
    let change = rounded(now) - rounded(before);
    let sign = match change {
        0.0 => "",
        _ if change < 0.0 => "−",
        _ => "+",
    };
    let points = change.abs();
    format!("{sign}{points:.0} point{}", if points == 1.0 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
    use super::super::calendar::{BeforeFacts, PeriodFigures};
    use super::super::tone;
    use super::*;
    use crate::insight::daily::{CalendarUnit, ToneCounts};
    use crate::model::{Span, Time};
    use crate::report::facts::DayFacts;
    use crate::report::samples::topic;

    fn week(raw: u64, saturated: bool) -> CalendarFacts {
        let tones = ToneCounts { negative: raw / 4, neutral: raw - raw / 4, ..ToneCounts::default() };
        let figures = PeriodFigures {
            counted: ItemCounts { raw, unique: raw, authors: raw / 2, ..ItemCounts::default() },
            saturated,
            at_least: saturated,
            shares: tone::shares(&tones),
            tones,
            covered: 0.95,
            checks: None,
            cost: Some(Micros(2_000_000)),
        };
        let span = Span { from: Time(0), until: Time(1) };
        CalendarFacts {
            unit: CalendarUnit::Week,
            name: "2026-W12".into(),
            before: BeforeFacts { name: "2026-W11".into(), span, filtered: 0, why: None, figures: Some(figures) },
            parts: Vec::new(),
        }
    }

    #[test]
    fn a_change_between_periods_is_worded_or_its_absence_explained() {
        let mut facts = topic("a");
        (facts.period.raw, facts.period.unique, facts.period.authors) = (150, 100, 40);
        for (calendar, comparison, change) in [
            (week(100, false), "+50% from the week before", "+50%"),
            (week(200, false), "−25% from the week before", "−25%"),
            (week(150, false), "as many as in the week before", "none"),
            (week(0, false), "none in the week before", "from none"),
            (week(100, true), "≥\u{a0}100 in the week before; not compared: incomplete", "may be more"),
        ] {
            assert_eq!(calendar.compared(&facts), comparison);
            assert_eq!(calendar.rows(&facts)[0].change, change);
            assert_eq!(calendar.not_compared_note(), None);
        }
        let mut none = week(100, false);
        (none.before.figures, none.before.why) = (None, Some("only 40% covered".into()));
        assert_eq!(none.compared(&facts), "not compared with the week before: only 40% covered");
        assert_eq!(none.not_compared_note().unwrap(), "Week before (2026-W11): not compared, only 40% covered.");
        assert!(none.rows(&facts).is_empty());
    }

    #[test]
    fn changes_of_lower_bounds_have_no_percentage_or_a_bounded_one() {
        let mut facts = topic("a");
        (facts.period.raw, facts.period.unique) = (168, 168);
        let mut of = |before: u64, before_more: bool, more: bool| {
            let mut calendar = week(before, false);
            calendar.before.figures.as_mut().unwrap().at_least = before_more;
            facts.partly_uncovered = more;
            (calendar.compared(&facts).replace('\u{a0}', " "), calendar.rows(&facts)[0].change.replace('\u{a0}', " "))
        };
        for (before, before_more, more, comparison, change) in [
            (153, true, false, "≥ 153 in the week before; not compared: there may be more", "may be more"),
            (153, true, true, "≥ 153 in the week before; not compared: there may be more", "may be more"),
            (153, false, true, "≥ +9% from the week before", "≥ +9%"),
            (200, true, false, "≤ −16% from the week before", "≤ −16%"),
            (200, false, true, "200 in the week before; not compared: there may be more", "may be more"),
        ] {
            assert_eq!(of(before, before_more, more), (comparison.to_owned(), change.to_owned()));
        }
    }

    #[test]
    fn months_of_different_lengths_are_compared_by_day_too() {
        let mut facts = topic("a");
        let day = DayFacts {
            date: "2026-03-01".into(),
            span: Span { from: Time(0), until: Time(86_400_000) },
            counted: ItemCounts::default(),
            tones: ToneCounts::default(),
            negative: None,
            positive: None,
            covered: Some(1.0),
            checks: None,
            at_least: false,
            gap_reasons: Vec::new(),
            sources_changed: false,
        };
        let mut month = |days: usize, raw: u64, days_before: i64, before: u64| {
            let mut calendar = week(before, false);
            calendar.unit = CalendarUnit::Month;
            calendar.before.span = Span { from: Time(0), until: Time(days_before * 86_400_000) };
            (facts.period.raw, facts.days) = (raw, vec![day.clone(); days]);
            calendar.compared(&facts)
        };
        assert_eq!(month(31, 600, 28, 542), "+11% from the month before, as many a day");
        assert_eq!(month(31, 341, 28, 280), "+22% from the month before, +10% a day");
        assert_eq!(month(30, 310, 30, 280), "+11% from the month before");
    }

    #[test]
    fn shares_change_by_points_and_costs_by_percent() {
        let mut facts = topic("a");
        facts.cost = Some(Micros(1_000_000));
        let tones = ToneCounts { negative: 31, neutral: 69, ..ToneCounts::default() };
        (facts.tone.shares, facts.tone.period) = (tone::shares(&tones), tones);
        let rows = week(100, false).rows(&facts);
        let of = |figure: &str| {
            let row = rows.iter().find(|row| row.figure == figure).unwrap();
            (&*row.now, &*row.before, &*row.change)
        };
        assert_eq!(of("Negative"), ("31% (23–41%)", "25% (18–34%)", "+6 points"));
        assert_eq!(of("Neutral"), ("69% (59–77%)", "75% (66–82%)", "−6 points"));
        assert_eq!(of("Positive"), ("0% (0–4%)", "0% (0–4%)", "0 points"));
        assert_eq!(of("Covered"), ("100%", "95%", "–"));
        assert_eq!(of("Cost"), ("$1.000", "$2.000", "−50%"));
        assert_eq!(
            // Rounded like the percentages: 34% and 33%, 17% and 19%, 48% and 49%, 12% and 12%.
            [
                format_points(0.344, 0.326),
                format_points(0.174, 0.186),
                format_points(0.484, 0.486),
                format_points(0.125, 0.124)
            ],
            ["+1 point", "−2 points", "−1 point", "0 points"]
        );
    }
}
