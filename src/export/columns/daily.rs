//! Columns of `daily`: one row per topic and day, from its first run on.

use crate::export::column::{Cell, Column};
use crate::insight::daily::{HoleFacts, ItemCounts, ToneCounts};
use crate::model::{Micros, Time};

/// A day of a topic.
#[derive(Debug)]
pub(in crate::export) struct DailyRow {
    pub(in crate::export) topic: String,
    pub(in crate::export) day: String,
    pub(in crate::export) from: Time,
    pub(in crate::export) until: Time,
    pub(in crate::export) last_run: Option<String>,
    pub(in crate::export) runs: Option<i64>,
    pub(in crate::export) counted: ItemCounts,
    pub(in crate::export) new: u64,
    pub(in crate::export) filtered: u64,
    pub(in crate::export) sounds: ToneCounts,
    pub(in crate::export) scorer: Option<String>,
    pub(in crate::export) calls: Option<i64>,
    pub(in crate::export) cost: Option<Micros>,
    /// How much of it no bill confirms; `None` if that is not known of pruned searches.
    pub(in crate::export) assumed: Option<Micros>,
    /// The number of answered and of failed searches; `None` if searches of the day were pruned.
    pub(in crate::export) social: Option<(u64, u64)>,
    pub(in crate::export) web: Option<(u64, u64)>,
    pub(in crate::export) ai: Option<(u64, u64)>,
    pub(in crate::export) saturated: Option<bool>,
    pub(in crate::export) covered: Option<f64>,
    pub(in crate::export) covered_s: Option<i64>,
    pub(in crate::export) holes: Option<Vec<HoleFacts>>,
    pub(in crate::export) pruned: bool,
    /// Whether there may be more items than are counted.
    pub(in crate::export) at_least: bool,
}

fn count(value: u64) -> Cell<'static> {
    Cell::Integer(i64::try_from(value).unwrap_or(i64::MAX))
}

/// The number of answered or of failed searches of a source.
fn searches(of: Option<(u64, u64)>, which: fn((u64, u64)) -> u64) -> Cell<'static> {
    of.map_or(Cell::Empty, |of| count(which(of)))
}

/// A share of the items that have a tone, in ten-thousandths.
fn share(row: &DailyRow, part: u64) -> Cell<'static> {
    let (part, total) = (part.saturating_mul(10_000), row.sounds.sample());
    let rounded = part.saturating_add(total / 2).checked_div(total).and_then(|share| i64::try_from(share).ok());
    rounded.map_or(Cell::Empty, |share| Cell::Decimal(share, 4))
}

/// A share in ten-thousandths, rounded down: only a day that is covered completely may show as 1.
#[expect(clippy::cast_possible_truncation, reason = "a part of one")]
fn covered(part: f64) -> Cell<'static> {
    Cell::Decimal((part.clamp(0.0, 1.0) * 10_000.0).floor() as i64, 4)
}

pub(in crate::export) const DAILY: &[Column<DailyRow>] = &[
    Column::id("topic", "topic id", |r| Cell::Id(&r.topic)),
    Column::date("day", "in UTC or the zone of `--timezone`", |r| Cell::Date(&r.day)),
    Column::time("from", "its start", |r| Cell::Time(r.from)),
    Column::time("until", "its end (exclusive)", |r| Cell::Time(r.until)),
    Column::id("last_run", "last run that searched on it; empty if none did", |r| Cell::id(&r.last_run)),
    Column::integer("runs", "runs", "runs that searched on it", |r| Cell::integer(r.runs)),
    Column::integer(
        "items",
        "items",
        "published on it, or first seen on it if that is earlier or no date is known ([reports](../explanation/report.md))",
        |r| count(r.counted.raw),
    ),
    Column::integer("unique", "items", "the same, near-copies counted once", |r| count(r.counted.unique)),
    Column::integer(
        "authors",
        "authors",
        "distinct known authors; empty if no author of its items is known or some were pruned",
        |r| {
            if r.counted.authors == 0 && r.counted.raw > 0 { Cell::Empty } else { count(r.counted.authors) }
        },
    ),
    Column::integer("posts", "items", "posts among the items", |r| count(r.counted.posts)),
    Column::integer("pages", "items", "pages among the items", |r| count(r.counted.pages)),
    Column::integer("undated", "items", "items without a date", |r| count(r.counted.undated)),
    Column::integer("first_seen", "items", "items first seen on it, whatever their date, baselines included", |r| {
        count(r.new)
    }),
    Column::integer(
        "filtered",
        "items",
        "hidden by the topic's filter; of the other columns, only `first_seen` counts them",
        |r| count(r.filtered),
    ),
    Column::integer("negative", "items", "negative by `scorer`", |r| count(r.sounds.negative)),
    Column::integer("neutral", "items", "neutral by `scorer`", |r| count(r.sounds.neutral)),
    Column::integer("positive", "items", "positive by `scorer`", |r| count(r.sounds.positive)),
    Column::integer("unsupported", "items", "in a language it does not know", |r| count(r.sounds.unsupported)),
    Column::integer("unscored", "items", "not scored yet, or by another scorer", |r| {
        count(r.sounds.unscored + r.sounds.by_others.values().sum::<u64>())
    }),
    Column::decimal(
        "negative_share",
        "fraction",
        "`negative` among negative, neutral and positive; empty if there are none",
        |r| share(r, r.sounds.negative),
    ),
    Column::decimal("positive_share", "fraction", "the same for positive", |r| share(r, r.sounds.positive)),
    Column::id("scorer", "version that scored most items of the fourteen days up to this one", |r| Cell::id(&r.scorer)),
    Column::integer("calls", "calls", "calls made, retries included", |r| Cell::integer(r.calls)),
    Column::money("cost_usd", "actual cost, or the price where it is unknown", |r| {
        r.cost.map_or(Cell::Empty, Cell::Money)
    }),
    Column::integer("social_answered", "searches", "answered social searches", |r| searches(r.social, |of| of.0)),
    Column::integer("social_failed", "searches", "failed or lost social searches", |r| searches(r.social, |of| of.1)),
    Column::integer("web_answered", "searches", "answered web searches", |r| searches(r.web, |of| of.0)),
    Column::integer("web_failed", "searches", "failed or lost web searches", |r| searches(r.web, |of| of.1)),
    Column::integer("ai_answered", "searches", "answered AI searches", |r| searches(r.ai, |of| of.0)),
    Column::integer("ai_failed", "searches", "failed or lost AI searches", |r| searches(r.ai, |of| of.1)),
    Column::flag("saturated", "full replies left a gap", |r| Cell::flag(r.saturated)),
    Column::decimal(
        "covered_share",
        "fraction",
        "part of the day that social searches [covered](../explanation/coverage.md); if its searches cover no span, whether it was searched",
        |r| r.covered.map_or(Cell::Empty, covered),
    ),
    Column::integer("covered_s", "s", "the same in seconds, empty in that case", |r| Cell::integer(r.covered_s)),
    Column::integer(
        "holes",
        "holes",
        "gaps of a minute or more, as of the topic's last run; `coverage` shows their causes",
        |r| r.holes.as_ref().map_or(Cell::Empty, |holes| count(holes.len() as u64)),
    ),
    Column::integer("holes_s", "s", "their total length", |r| {
        Cell::integer(
            r.holes
                .as_ref()
                .map(|holes| holes.iter().map(|hole| hole.span.length().as_secs()).sum::<u64>())
                .and_then(|s| i64::try_from(s).ok()),
        )
    }),
    Column::flag(
        "pruned",
        "searches of the day, or later ones that may have covered it, were pruned: their columns are empty; `runs`, `calls` and `cost_usd` stay for whole UTC days counted before",
        |r| Cell::Flag(r.pruned),
    ),
    Column::flag(
        "at_least",
        "there may be more: full replies, over 2 % not covered, a paused topic, a source unanswered, added or removed, or `pruned`",
        |r| Cell::Flag(r.at_least),
    ),
    Column::money("assumed_usd", "searches not billed in full; empty if pruned", |r| {
        r.assumed.map_or(Cell::Empty, Cell::Money)
    }),
];
