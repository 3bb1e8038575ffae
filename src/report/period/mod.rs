//! The period of a report: its span, its name, and the paths of its files. `rule` decides which items count in it.

pub(super) mod rule;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use jiff::ToSpan as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::insight::daily::{CalendarPeriod, CalendarUnit, date_of, day_of, days};
use crate::model::{ReportFormat, ReportSpec, ReportWindow, Source, Span, Time};

/// A minute, in milliseconds.
const MINUTE_MS: i64 = 60_000;

/// The period of a report, and when the report is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReportScope<'a> {
    pub(super) span: Span,
    /// The sequence number up to which the last report went, if reports follow one another.
    pub(super) since: Option<i64>,
    pub(super) now: Time,
    /// Whether the sources' results are compared with those of other topics.
    pub(super) by_source: bool,
    /// The sources that the share of voice counts, if not all.
    pub(super) voice_sources: Option<&'a BTreeSet<Source>>,
    /// Whether its terms are compared with no other topic: a reader may not know them.
    pub(super) alone: bool,
}

/// Returns the span of a report made at an instant: the last whole local day, week or month, or the time since the last
/// report (a day if there was none).
#[must_use]
pub fn report_span(spec: &ReportSpec, at: Time, last: Option<Time>) -> Span {
    const DAY: Duration = Duration::from_secs(86_400);
    let since = |from: Time| Span { from: from.min(at), until: at };
    match spec.window {
        ReportWindow::Day => {
            // Try three days, because the zone may have skipped the day before.
            let ended = days(at, 3, &spec.timezone).into_iter().rev().find(|day| day.span.until <= at);
            ended.map_or_else(|| since(at.minus(DAY)), |day| day.span)
        }
        ReportWindow::Week | ReportWindow::Month => {
            let last_complete = unit(spec.window).and_then(|unit| unit.last_complete(at, &spec.timezone));
            last_complete.map_or_else(|| since(at.minus(DAY)), |period| period.span)
        }
        ReportWindow::SinceLast => since(last.unwrap_or_else(|| at.minus(DAY))),
    }
}

/// Returns the span of a daily report whose slot replaces a time that a clock change skipped on an earlier date: the
/// last whole day before that date.
#[must_use]
pub fn span_before_skipped(spec: &ReportSpec, slot: Time, date: Date) -> Option<Span> {
    let skipped = spec.window == ReportWindow::Day && date < date_of(slot, &spec.timezone);
    let before = |back: i32| date.checked_sub(back.days()).ok().and_then(|date| day_of(date, &spec.timezone));
    // Try two days, because the zone may have skipped one.
    skipped.then(|| (1..=2).find_map(before).map(|day| day.span)).flatten()
}

/// Returns the span of a local date; `None` for a day that the zone skipped.
#[must_use]
pub fn span_of_date(spec: &ReportSpec, date: Date) -> Option<Span> {
    day_of(date, &spec.timezone).map(|day| day.span)
}

/// Returns the calendar unit of a window longer than a day.
fn unit(window: ReportWindow) -> Option<CalendarUnit> {
    match window {
        ReportWindow::Week => Some(CalendarUnit::Week),
        ReportWindow::Month => Some(CalendarUnit::Month),
        ReportWindow::Day | ReportWindow::SinceLast => None,
    }
}

/// Returns the span of a week (`2026-W12`) or a month (`2026-03`), by the window of the report; `None` if the name is
/// neither.
#[must_use]
pub fn span_of_name(spec: &ReportSpec, name: &str) -> Option<Span> {
    unit(spec.window)?.parse(name, &spec.timezone).map(|period| period.span)
}

/// Returns the week or month that equals a report's span.
pub(super) fn calendar(window: ReportWindow, span: Span, timezone: &str) -> Option<CalendarPeriod> {
    unit(window)?.of(date_of(span.from, timezone), timezone).filter(|period| period.span == span)
}

/// Returns the last instant inside a span.
fn last_of(span: Span) -> Time {
    Time(span.until.0.saturating_sub(1).max(span.from.0))
}

/// Formats a local time for a file name, with its offset from UTC, since some times occur twice a day. `exact` adds
/// seconds and milliseconds.
fn time_of(at: Time, timezone: &str, exact: bool) -> String {
    let zone = TimeZone::get(timezone).unwrap_or(TimeZone::UTC);
    let within_minute = if exact { format!("{:05}", at.0.rem_euclid(MINUTE_MS)) } else { String::new() };
    at.to_jiff().map_or_else(String::new, |at| {
        let local = at.to_zoned(zone);
        format!("{}{within_minute}{}", local.strftime("%H%M"), local.strftime("%z"))
    })
}

/// Returns the name of the span, or its dates.
pub(super) fn label(window: ReportWindow, span: Span, timezone: &str) -> String {
    if let Some(period) = calendar(window, span, timezone) {
        return period.name;
    }
    let (from, until) = (date_of(span.from, timezone), date_of(last_of(span), timezone));
    if from == until { from.to_string() } else { format!("{from} to {until}") }
}

/// Returns the paths of a report's files, one for each format: the template with name, date and time filled in, and an
/// extension.
#[must_use]
pub fn paths(spec: &ReportSpec, span: &Span) -> Vec<(ReportFormat, PathBuf)> {
    let date = date_of(last_of(*span), &spec.timezone);
    // A day that ends at midnight has its own date, not the next one.
    let end = if date_of(span.until, &spec.timezone) == date { span.until } else { last_of(*span) };
    let name = calendar(spec.window, *span, &spec.timezone).map(|period| period.name);
    // The previous report ended in the same minute. It has other contents, so its file must stay.
    let minute = |at: Time| at.0.div_euclid(MINUTE_MS);
    let follows = spec.window == ReportWindow::SinceLast && minute(span.from) == minute(span.until);
    let (date, time) = (name.unwrap_or_else(|| date.to_string()), time_of(end, &spec.timezone, follows));
    let path = spec.path.replace("{name}", &spec.name).replace("{date}", &date).replace("{time}", &time);
    let ending = |format: ReportFormat| match format {
        ReportFormat::Html => "html",
        ReportFormat::Markdown => "md",
    };
    spec.formats.iter().map(|format| (*format, PathBuf::from(format!("{path}.{}", ending(*format))))).collect()
}
