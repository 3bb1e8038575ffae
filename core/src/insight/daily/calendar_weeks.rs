//! ISO weeks and calendar months in local time, as spans of time, written `2026-W12` and `2026-03`. A week with a clock
//! change has 167 or 169 hours; a day that a zone skipped belongs to none. `calendar` has the days.

use jiff::ToSpan as _;
use jiff::civil::{Date, ISOWeekDate, Weekday};

use super::calendar::{Day, date_of, days, start_of};
use crate::model::{Span, Time};

/// The kind of a calendar period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CalendarUnit {
    /// Monday to Sunday.
    Week,
    Month,
}

/// A week or a month in a time zone.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct CalendarPeriod {
    pub unit: CalendarUnit,
    /// `2026-W12` or `2026-03`.
    pub name: String,
    /// Its first day, and the first day after it.
    #[serde(skip)]
    pub first: Date,
    #[serde(skip)]
    pub after: Date,
    pub span: Span,
}

impl CalendarUnit {
    /// `week` or `month`.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Week => "week",
            Self::Month => "month",
        }
    }

    /// Returns the period that contains a date; `None` outside the supported years.
    #[must_use]
    pub fn of(self, date: Date, timezone: &str) -> Option<CalendarPeriod> {
        let (first, after, name) = match self {
            Self::Week => {
                let week = date.iso_week_date();
                let first = date.checked_sub(i32::from(date.weekday().to_monday_zero_offset()).days()).ok()?;
                (first, first.checked_add(7.days()).ok()?, format!("{:04}-W{:02}", week.year(), week.week()))
            }
            Self::Month => {
                let first = date.first_of_month();
                (first, first.checked_add(1.month()).ok()?, first.strftime("%Y-%m").to_string())
            }
        };
        let span = Span::new(start_of(first, timezone)?, start_of(after, timezone)?)?;
        Some(CalendarPeriod { unit: self, name, first, after, span })
    }

    /// Returns `many` periods up to and including that of `last`, the earliest first.
    #[must_use]
    pub fn up_to(self, last: Time, many: usize, timezone: &str) -> Vec<CalendarPeriod> {
        let last = self.of(date_of(last, timezone), timezone);
        let mut all: Vec<_> = std::iter::successors(last, |period| period.previous(timezone)).take(many).collect();
        all.reverse();
        all
    }

    /// Returns the last period that had ended at an instant.
    #[must_use]
    pub fn last_complete(self, at: Time, timezone: &str) -> Option<CalendarPeriod> {
        self.of(date_of(at, timezone), timezone)?.previous(timezone)
    }

    /// Parses a name such as `2026-W12` or `2026-03`; `None` if there is no such period.
    #[must_use]
    pub fn parse(self, name: &str, timezone: &str) -> Option<CalendarPeriod> {
        let (year, number) = match self {
            Self::Week => name.split_once("-W").or_else(|| name.split_once("-w"))?,
            Self::Month => name.split_once('-')?,
        };
        let digits = |text: &str, many: usize| text.len() == many && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(year, 4) || !digits(number, 2) {
            return None;
        }
        let (year, number) = (year.parse().ok()?, number.parse().ok()?);
        let date = match self {
            Self::Week => ISOWeekDate::new(year, number, Weekday::Monday).ok()?.date(),
            Self::Month => Date::new(year, number, 1).ok()?,
        };
        self.of(date, timezone)
    }
}

impl CalendarPeriod {
    /// Returns the previous period.
    #[must_use]
    pub fn previous(&self, timezone: &str) -> Option<Self> {
        self.unit.of(self.first.yesterday().ok()?, timezone)
    }

    /// Returns its local days, without a day that the zone skipped.
    #[must_use]
    pub fn days(&self, timezone: &str) -> Vec<Day> {
        let many = self.first.until(self.after).map_or(0, |span| span.get_days());
        // Use the last instant: the date before `after` may have been skipped.
        let last = Time(self.span.until.0.saturating_sub(1));
        let mut all = days(last, many, timezone);
        all.retain(|day| self.first <= day.date && day.date < self.after);
        all
    }

    /// Returns the weeks of a month, cut at the start and end of the month.
    #[must_use]
    pub fn weeks(&self, timezone: &str) -> Vec<CalendarPeriod> {
        let (mut all, mut date) = (Vec::new(), self.first);
        while date < self.after {
            let Some(week) = CalendarUnit::Week.of(date, timezone) else { break };
            date = week.after;
            if let Some(span) = week.span.intersection(self.span) {
                all.push(CalendarPeriod {
                    first: week.first.max(self.first),
                    after: week.after.min(self.after),
                    span,
                    ..week
                });
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
    use super::*;

    fn hours(span: Span) -> u64 {
        assert_eq!(span.length().as_secs() % 1_800, 0);
        span.length().as_secs() / 3_600
    }

    #[test]
    fn weeks_and_months_have_the_length_of_their_zone() {
        use CalendarUnit::{Month, Week};
        for (unit, name, zone, from, until, long, many) in [
            (Week, "2026-W12", "UTC", "2026-03-16T00:00:00Z", "2026-03-23T00:00:00Z", 168, 7),
            // Clocks go forward on a Sunday in March and back in October; in the south the other way round.
            (Week, "2026-W13", "Europe/Berlin", "2026-03-22T23:00:00Z", "2026-03-29T22:00:00Z", 167, 7),
            (Week, "2026-W43", "Europe/Berlin", "2026-10-18T22:00:00Z", "2026-10-25T23:00:00Z", 169, 7),
            (Week, "2026-W10", "America/New_York", "2026-03-02T05:00:00Z", "2026-03-09T04:00:00Z", 167, 7),
            (Week, "2026-W14", "Australia/Sydney", "2026-03-29T13:00:00Z", "2026-04-05T14:00:00Z", 169, 7),
            // Lord Howe shifts by half an hour.
            (Week, "2026-W40", "Australia/Lord_Howe", "2026-09-27T13:30:00Z", "2026-10-04T13:00:00Z", 167, 7),
            // Cairo starts summer time at midnight, so that Friday has no midnight.
            (Week, "2026-W17", "Africa/Cairo", "2026-04-19T22:00:00Z", "2026-04-26T21:00:00Z", 167, 7),
            // Turns of the year.
            (Week, "2020-W53", "UTC", "2020-12-28T00:00:00Z", "2021-01-04T00:00:00Z", 168, 7),
            (Week, "2026-W53", "UTC", "2026-12-28T00:00:00Z", "2027-01-04T00:00:00Z", 168, 7),
            (Week, "2026-W01", "UTC", "2025-12-29T00:00:00Z", "2026-01-05T00:00:00Z", 168, 7),
            (Week, "2024-W52", "UTC", "2024-12-23T00:00:00Z", "2024-12-30T00:00:00Z", 168, 7),
            (Week, "2025-W01", "UTC", "2024-12-30T00:00:00Z", "2025-01-06T00:00:00Z", 168, 7),
            // Samoa had no 30 December 2011, a Friday; Kiritimati no 31 December 1994, the last day of a month.
            (Week, "2011-W52", "Pacific/Apia", "2011-12-26T10:00:00Z", "2012-01-01T10:00:00Z", 144, 6),
            (Month, "2011-12", "Pacific/Apia", "2011-12-01T10:00:00Z", "2011-12-31T10:00:00Z", 720, 30),
            (Month, "1994-12", "Pacific/Kiritimati", "1994-12-01T10:00:00Z", "1994-12-31T10:00:00Z", 720, 30),
            (Month, "1995-01", "Pacific/Kiritimati", "1994-12-31T10:00:00Z", "1995-01-31T10:00:00Z", 744, 31),
            (Month, "2024-02", "Europe/Berlin", "2024-01-31T23:00:00Z", "2024-02-29T23:00:00Z", 696, 29),
            (Month, "2026-02", "Europe/Berlin", "2026-01-31T23:00:00Z", "2026-02-28T23:00:00Z", 672, 28),
            (Month, "2100-02", "UTC", "2100-02-01T00:00:00Z", "2100-03-01T00:00:00Z", 672, 28),
            (Month, "2026-03", "Europe/Berlin", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z", 743, 31),
            (Month, "2026-10", "Europe/Berlin", "2026-09-30T22:00:00Z", "2026-10-31T23:00:00Z", 745, 31),
        ] {
            let one = unit.parse(name, zone).unwrap_or_else(|| panic!("{name} {zone}"));
            assert_eq!(one.name, name);
            let bounds = (one.span.from.to_string(), one.span.until.to_string());
            assert_eq!(bounds, (from.to_owned(), until.to_owned()), "{name} {zone}");
            assert_eq!(hours(one.span), long, "{name} {zone}");
            let days = one.days(zone);
            assert_eq!(days.len(), many, "{name} {zone}: {days:?}");
            assert_eq!(
                (days[0].span.from, days[many - 1].span.until),
                (one.span.from, one.span.until),
                "{name} {zone}"
            );
            assert!(days.windows(2).all(|pair| pair[0].span.until == pair[1].span.from), "{name} {zone}");
        }
    }

    #[test]
    fn each_instant_is_in_one_week_or_month_and_the_last_complete_one_is_before_it() {
        for zone in
            ["UTC", "Europe/Berlin", "America/New_York", "Pacific/Apia", "Australia/Lord_Howe", "Asia/Kathmandu"]
        {
            for unit in [CalendarUnit::Week, CalendarUnit::Month] {
                // Five years around 2011, in steps that reach every hour of the day.
                let mut at = Time::parse("2009-12-20T00:00:00Z").unwrap();
                while at.0 < Time::parse("2014-12-20T00:00:00Z").unwrap().0 {
                    let now = unit.of(date_of(at, zone), zone).unwrap();
                    assert!(now.span.contains(at), "{zone} {at} {now:?}");
                    let whole = unit.last_complete(at, zone).unwrap();
                    assert_eq!(whole.span.until, now.span.from, "{zone} {at}");
                    assert_eq!(unit.parse(&whole.name, zone).as_ref(), Some(&whole), "{zone} {at}");
                    assert_eq!(
                        whole.days(zone).iter().map(|d| d.span.length()).sum::<std::time::Duration>(),
                        whole.span.length()
                    );
                    // It is whole at its end, but not a millisecond earlier.
                    assert_eq!(unit.last_complete(whole.span.until, zone).as_ref(), Some(&whole));
                    assert_ne!(unit.last_complete(Time(whole.span.until.0 - 1), zone).as_ref(), Some(&whole));
                    if unit == CalendarUnit::Month {
                        let weeks = whole.weeks(zone);
                        assert!((4..=6).contains(&weeks.len()), "{weeks:?}");
                        assert!(weeks.windows(2).all(|pair| pair[0].span.until == pair[1].span.from));
                        let ends = (weeks[0].span.from, weeks[weeks.len() - 1].span.until);
                        assert_eq!(ends, (whole.span.from, whole.span.until));
                    }
                    at = Time(at.0 + 37 * 3_600_000);
                }
            }
        }
    }

    #[test]
    fn invalid_weeks_and_months_are_refused() {
        for wrong in [
            "2025-W53",
            "2027-W53",
            "2026-W54",
            "2026-W00",
            "2026-W1",
            "2026W12",
            "2026-12",
            "26-W12",
            "2026-W+1",
            "",
            "W12",
            "2026-W12-1",
            "2026-W１２",
            "+026-W12",
        ] {
            assert_eq!(CalendarUnit::Week.parse(wrong, "UTC"), None, "{wrong}");
        }
        for wrong in ["2026-13", "2026-00", "2026-3", "2026", "2026-W12", "2026-03-01", "", "-2026-03", "２０２６-03"]
        {
            assert_eq!(CalendarUnit::Month.parse(wrong, "UTC"), None, "{wrong}");
        }
        assert_eq!(CalendarUnit::Week.parse("2026-w12", "UTC").unwrap().name, "2026-W12");
        assert_eq!(CalendarUnit::Month.parse("9999-12", "UTC"), None, "it does not end in the years that are known");
    }
}
