//! Charts as inline SVG: daily bars against the usual band, with holes at their place in time; shares of tone with
//! intervals; shares of voice. Style sheet classes set the colours. Every chart has a text version for screen readers.

use maud::{Markup, html};

use super::format::{self, number, percent};
use crate::insight::daily::{Share, UsualRange};
use crate::model::{Span, Time};

/// Size of the drawing; a phone shows it unscaled, a desktop larger.
pub(super) const WIDTH: f64 = 360.0;
pub(super) const HEIGHT: f64 = 150.0;
/// Margins around the plot.
pub(super) const LEFT: f64 = 34.0;
pub(super) const RIGHT: f64 = 6.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 24.0;

/// Formats a coordinate; one decimal is precise enough.
pub(super) fn coordinate(value: f64) -> String {
    format!("{value:.1}")
}

/// A local day in a chart.
#[derive(Debug, Clone)]
pub struct ChartDay {
    /// `2026-03-11`.
    pub date: String,
    pub span: Span,
    pub all: u64,
    /// Items with near-copies counted once.
    pub unique: u64,
    /// Whether there may be more items.
    pub at_least: bool,
    /// Whether no search covered it and no item is known: nothing can be said about it.
    pub uncovered: bool,
    /// Items with a tone.
    pub scored: u64,
    /// Negative share of these.
    pub negative: Option<Share>,
    /// Positive share of these.
    pub positive: Option<Share>,
}

impl ChartDay {
    /// Returns its items and unique items; `–` if nothing can be said about it.
    #[must_use]
    pub fn counts(&self) -> [String; 2] {
        match self.uncovered {
            true => ["–", "–"].map(str::to_owned),
            false => [self.all, self.unique].map(|many| format::at_least(many, self.at_least)),
        }
    }

    fn describe(&self) -> String {
        if self.uncovered {
            return format!("{}: nothing known", self.date);
        }
        let (items, unique) =
            (format::at_least_noun(self.all, self.at_least, "item"), format::at_least(self.unique, self.at_least));
        format!("{}: {items}, {unique} without near-copies", self.date)
    }
}

/// A span that nothing covered.
#[derive(Debug, Clone, Copy)]
pub struct ChartHole {
    /// Start and end.
    pub span: Span,
    /// Whether it lies before the topic was watched.
    pub before: bool,
}

/// The days of a topic, and marks to draw with them.
#[derive(Debug, Clone)]
pub struct Chart {
    pub id: String,
    pub title: String,
    /// The days, the earliest first.
    pub days: Vec<ChartDay>,
    /// Spans not covered.
    pub holes: Vec<ChartHole>,
    /// When the query changed.
    pub query_changed_at: Vec<Time>,
    /// The usual band for the last day.
    pub usual: Option<UsualRange>,
    /// Whether the chart is about all of its days instead of the last one.
    pub all_alike: bool,
    /// The unit of its days: `day` or `week`.
    pub each: &'static str,
    /// Whether keys reach the figures of a day; the mouse always does.
    pub points: bool,
}

impl Chart {
    /// Returns whether it has many days, close together.
    fn is_close(&self) -> bool {
        self.all_alike && self.days.len() > 14
    }

    /// Returns n: every nth day gets a label.
    fn named_every(&self) -> usize {
        if self.is_close() { 5 } else { 3 }
    }

    /// Returns whether a day is the one the chart is about.
    fn is_now(&self, place: usize) -> bool {
        !self.all_alike && place + 1 == self.days.len()
    }

    /// Returns the distance of the tone marks from the middle of their day, and their size.
    fn mark(&self) -> (f64, f64) {
        if self.is_close() { (2.2, 3.6) } else { (3.0, 5.0) }
    }
}

/// A topic's share of voice.
#[derive(Debug, Clone)]
pub struct VoiceBar {
    pub title: String,
    /// Its share of unique items; `None` without items.
    pub share: Option<Share>,
    /// The share in words, with a bound if there may be more items than counted.
    pub label: String,
}

/// The time axis of a chart.
pub(super) struct Axis {
    pub(super) span: Span,
}

impl Axis {
    fn of(chart: &Chart) -> Option<Self> {
        let (first, last) = (chart.days.first()?, chart.days.last()?);
        Some(Self { span: Span { from: first.span.from, until: last.span.until } })
    }

    pub(super) fn x(&self, at: Time) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of days")]
        let part = (at.0 - self.span.from.0) as f64 / (self.span.until.0 - self.span.from.0).max(1) as f64;
        LEFT + part.clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT)
    }
}

pub(super) fn y(part: f64) -> f64 {
    HEIGHT - BOTTOM - part.clamp(0.0, 1.0) * (HEIGHT - TOP - BOTTOM)
}

/// Returns a round number at or above a value, for the axis.
pub(super) fn ceiling(value: f64) -> f64 {
    // Half of the result must be a whole number, too.
    let value = value.max(2.0);
    let size = 10_f64.powf(value.log10().floor());
    [1.0, 2.0, 4.0, 6.0, 8.0, 10.0].into_iter().map(|n| n * size).find(|n| *n >= value).unwrap_or(value)
}

/// Draws the hatched holes, the labels of days, the axis and the lines of changed queries.
fn draw_background(chart: &Chart, axis: &Axis, id: &str) -> Markup {
    let bottom = y(0.0);
    html! {
        defs { pattern id=(id) width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
            rect class="hatch-ground" width="5" height="5" {}
            line class="hatch" x1="0" y1="0" x2="0" y2="5" {}
        } }
        @for hole in chart.holes.iter().filter(|hole| hole.span.until.0 - hole.span.from.0 >= 1_800_000) {
            @let (from, until) = (axis.x(hole.span.from), axis.x(hole.span.until));
            @if hole.before { rect class="unwatched" x=(coordinate(from)) y=(coordinate(TOP)) width=(coordinate((until - from).max(1.0))) height=(coordinate(bottom - TOP)) {} }
            @else { rect fill=(format!("url(#{id})")) x=(coordinate(from)) y=(coordinate(TOP)) width=(coordinate((until - from).max(1.5))) height=(coordinate(bottom - TOP)) {} }
        }
        @for (place, day) in chart.days.iter().enumerate() {
            @let middle = f64::midpoint(axis.x(day.span.from), axis.x(day.span.until));
            @if (chart.days.len() - 1 - place).is_multiple_of(chart.named_every()) {
                // With many days the last is too close to the edge for a centred label.
                @let (x, anchor) = if chart.is_close() && place + 1 == chart.days.len() { (WIDTH, "end") } else { (middle, "middle") };
                text class=(if chart.is_now(place) { "label now" } else { "label" }) x=(coordinate(x)) y=(coordinate(HEIGHT - 8.0)) text-anchor=(anchor) { (day.date.get(5..).unwrap_or_default()) }
            }
        }
        line class="axis" x1=(coordinate(LEFT)) y1=(coordinate(bottom)) x2=(coordinate(WIDTH - RIGHT)) y2=(coordinate(bottom)) {}
        @for at in &chart.query_changed_at {
            line class="query-change" x1=(coordinate(axis.x(*at))) y1=(coordinate(TOP)) x2=(coordinate(axis.x(*at))) y2=(coordinate(bottom)) { title { "The query changed here" } }
        }
    }
}

/// Explains the lines of changed queries, for the caption and the text version.
#[must_use]
pub fn query_changes_note(chart: &Chart, timezone: &str) -> String {
    let at = format::date_times(&chart.query_changed_at, timezone);
    if at.is_empty() { String::new() } else { format!(" Vertical line: the query changed on {at}.") }
}

pub(super) fn scale(value: f64, text: &str) -> Markup {
    html! {
        line class="grid" x1=(coordinate(LEFT)) y1=(coordinate(y(value))) x2=(coordinate(WIDTH - RIGHT)) y2=(coordinate(y(value))) {}
        text class="label" x=(coordinate(LEFT - 4.0)) y=(coordinate(y(value) + 4.0)) text-anchor="end" { (text) }
    }
}

/// Returns the ARIA role of a chart: a picture, or a group of days to step through.
fn role(chart: &Chart) -> &'static str {
    if chart.points { "group" } else { "img" }
}

/// Draws figures that appear on hover or focus.
pub(super) fn point(x: f64, width: f64, words: &str) -> Markup {
    // Place the words on the side with room for them.
    let (at, anchor) = match (x + width / 2.0) / WIDTH {
        part if part < 0.35 => (LEFT, "start"),
        part if part > 0.65 => (WIDTH - RIGHT, "end"),
        _ => (f64::midpoint(LEFT, WIDTH), "middle"),
    };
    html! { g.point-of tabindex="0" role="img" aria-label=(words) {
        rect.hit x=(coordinate(x)) y=(coordinate(TOP)) width=(coordinate(width)) height=(coordinate(y(0.0) - TOP)) {}
        text.value x=(coordinate(at)) y=(coordinate(TOP - 1.0)) text-anchor=(anchor) aria-hidden="true" { (words) }
    } }
}

/// Draws the hover figures of each day. Without points they are browser tooltips, which no key reaches: the table next
/// to such a chart has them, too.
fn points(chart: &Chart, axis: &Axis, describe: impl Fn(&ChartDay) -> String) -> Markup {
    html! { @for day in &chart.days {
        @let (from, until) = (axis.x(day.span.from), axis.x(day.span.until));
        @if chart.points { (point(from, until - from, &describe(day))) } @else {
            rect class="hit" x=(coordinate(from)) y=(coordinate(TOP)) width=(coordinate(until - from)) height=(coordinate(y(0.0) - TOP)) { title { (describe(day)) } }
        }
    } }
}

/// Explains the two colours of the bars.
#[must_use]
pub fn legend(each: &str) -> Markup {
    html! { "Items a " (each) ": " span.unique { "■" } " without near-copies, " span.copied { "■" } " near-copies of these." }
}

/// Draws items per day against the usual band.
#[must_use]
pub fn volume(chart: &Chart, timezone: &str) -> Markup {
    let Some(axis) = Axis::of(chart) else { return html! {} };
    #[expect(clippy::cast_precision_loss, reason = "counts of items")]
    let count = |n: u64| n as f64;
    let most = chart.days.iter().map(|day| count(day.all)).fold(0.0, f64::max);
    let top = ceiling(chart.usual.map_or(most, |usual| usual.high.max(most)));
    let (title, desc) = (format::id(&chart.id, "volume"), format::id(&chart.id, "volume-words"));
    let hatch = format::id(&chart.id, "hatch-volume");
    let words = chart.days.iter().map(|day| format!("{}: {}", day.date, day.counts()[0]));
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role=(role(chart)) aria-labelledby=(format!("{title} {desc}")) {
            title id=(title) { "Items a " (chart.each) ", " (chart.title) }
            desc id=(desc) {
                (words.collect::<Vec<_>>().join(", ")) ". "
                @if let Some(usual) = chart.usual { "Usual for the last day: " (format::round(usual.low.ceil())) " to " (format::round(usual.high.floor())) ". " }
                @for hole in chart.holes.iter().filter(|hole| !hole.before) { "Not covered: " (format::span(hole.span, timezone)) ". " }
                (query_changes_note(chart, timezone))
            }
            (scale(1.0, &format::round(top)))
            (scale(0.5, &format::round(top / 2.0)))
            (draw_background(chart, &axis, &hatch))
            @if let (Some(usual), Some(last)) = (chart.usual, chart.days.last()) {
                @let (high, low) = (y(usual.high / top), y(usual.low / top));
                @let (from, until) = (axis.x(last.span.from), axis.x(last.span.until));
                rect class="usual" x=(coordinate(LEFT)) y=(coordinate(high)) width=(coordinate(WIDTH - LEFT - RIGHT)) height=(coordinate(low - high)) {}
                line class="median" x1=(coordinate(LEFT)) y1=(coordinate(y(usual.expected / top))) x2=(coordinate(until)) y2=(coordinate(y(usual.expected / top))) {}
                rect class="today" x=(coordinate(from)) y=(coordinate(TOP)) width=(coordinate(until - from)) height=(coordinate(y(0.0) - TOP)) {}
            }
            @for (place, day) in chart.days.iter().enumerate() {
                @let (from, until) = (axis.x(day.span.from), axis.x(day.span.until));
                @let (all, unique) = (y(count(day.all) / top), y(count(day.unique) / top));
                @let class = if chart.is_now(place) { "bar now" } else { "bar" };
                rect class=(format!("{class} copies")) x=(coordinate(from + 2.5)) y=(coordinate(all)) width=(coordinate(until - from - 5.0)) height=(coordinate(y(0.0) - all)) {}
                rect class=(class) x=(coordinate(from + 2.5)) y=(coordinate(unique)) width=(coordinate(until - from - 5.0)) height=(coordinate(y(0.0) - unique)) {}
                @if day.at_least && !day.uncovered { text class="label" x=(coordinate(f64::midpoint(from, until))) y=(coordinate(all - 2.0)) text-anchor="middle" { "≥" } }
            }
            (points(chart, &axis, ChartDay::describe))
        }
    }
}

/// Draws the negative and positive shares per day, with their intervals.
#[must_use]
pub fn tone(chart: &Chart, timezone: &str) -> Markup {
    let Some(axis) = Axis::of(chart) else { return html! {} };
    let (title, desc) = (format::id(&chart.id, "trend"), format::id(&chart.id, "trend-words"));
    let highest =
        chart.days.iter().flat_map(|day| [day.negative, day.positive]).flatten().map(|s| s.high).fold(0.0, f64::max);
    let (mark, size) = chart.mark();
    let top = [0.2, 0.4, 0.6].into_iter().find(|top| *top >= highest).unwrap_or(1.0);
    let words = chart.days.iter().map(|day| {
        let format_share = |share: &Option<Share>| share.as_ref().map_or("none scored".to_owned(), format::share);
        format!(
            "{}: negative {}, positive {}, of {}",
            day.date,
            format_share(&day.negative),
            format_share(&day.positive),
            number(day.scored)
        )
    });
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role=(role(chart)) aria-labelledby=(format!("{title} {desc}")) {
            title id=(title) { "Share of negative and positive items a " (chart.each) ", " (chart.title) }
            desc id=(desc) { (words.collect::<Vec<_>>().join("; ")) "." (query_changes_note(chart, timezone)) }
            @for part in [1.0, 0.5] { (scale(part, &percent(part * top))) }
            (draw_background(chart, &axis, &format::id(&chart.id, "hatch-tone")))
            @for (class, shift, share) in [
                ("negative", -mark, (|day| day.negative) as fn(&ChartDay) -> Option<Share>),
                ("positive", mark, |day| day.positive),
            ] {
                @let points: Vec<Option<(f64, Share)>> = chart.days.iter().map(|day| {
                    share(day).map(|share| (f64::midpoint(axis.x(day.span.from), axis.x(day.span.until)) + shift, share))
                }).collect();
                @for run in points.split(Option::is_none) {
                    @let path: Vec<String> = run.iter().flatten().map(|(x, share)| format!("{},{}", coordinate(*x), coordinate(y(share.share / top)))).collect();
                    polyline class=(format!("trend {class}")) points=(path.join(" ")) {}
                }
                @for (x, share) in points.iter().flatten() {
                    line class=(format!("interval {class}")) x1=(coordinate(*x)) y1=(coordinate(y(share.low / top))) x2=(coordinate(*x)) y2=(coordinate(y(share.high / top))) {}
                    @if class == "negative" { rect class=(format!("dot {class}")) x=(coordinate(x - size / 2.0)) y=(coordinate(y(share.share / top) - size / 2.0)) width=(size) height=(size) {} }
                    @else { circle class=(format!("dot {class}")) cx=(coordinate(*x)) cy=(coordinate(y(share.share / top))) r=(coordinate(size * 0.56)) {} }
                }
            }
            (points(chart, &axis, |day| {
                let format_share = |share: &Option<Share>| share.map_or("none".to_owned(), |share| percent(share.share));
                format!("{}: negative {}, positive {}, of {}", day.date, format_share(&day.negative), format_share(&day.positive), number(day.scored))
            }))
        }
    }
}

/// Draws shares of voice, one bar per topic; the table next to it has the numbers.
#[must_use]
pub fn voice(voices: &[VoiceBar]) -> Markup {
    let row = 34.0;
    #[expect(clippy::cast_precision_loss, reason = "a few topics")]
    let height = voices.len() as f64 * row + 6.0;
    let most = voices.iter().filter_map(|voice| voice.share).map(|share| share.share).fold(0.01, f64::max);
    let words: Vec<String> = voices.iter().map(|voice| format!("{} {}", voice.title, voice.label)).collect();
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-labelledby="voice-title voice-words" {
            title id="voice-title" { "Share of voice by unique items" }
            desc id="voice-words" { (words.join(", ")) }
            @for (place, voice) in voices.iter().enumerate() {
                @let top = f64::from(u32::try_from(place).unwrap_or(0)) * row + 4.0;
                @let width = voice.share.map_or(0.0, |share| share.share / most * 300.0);
                text class="label" x="0" y=(coordinate(top + 10.0)) { (format::line(&voice.title, 30)) }
                rect class="bar now" x="0" y=(coordinate(top + 14.0)) width=(coordinate(width)) height="14" {}
                text class="label" x=(coordinate(6.0 + width)) y=(coordinate(top + 25.0)) { (voice.label) }
            }
        }
    }
}
