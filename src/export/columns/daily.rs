//! Columns of `daily`: one row per topic and day, from its first run on.

use crate::export::column::{Cell, Column};
use crate::insight::daily::{Counted, HoleFacts, Sounds};
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
    pub(in crate::export) counted: Counted,
    pub(in crate::export) new: u64,
    pub(in crate::export) filtered: u64,
    pub(in crate::export) sounds: Sounds,
    pub(in crate::export) scorer: Option<String>,
    pub(in crate::export) calls: Option<i64>,
    pub(in crate::export) cost: Option<Micros>,
    /// Answered and failed; nothing where searches of the day were pruned.
    pub(in crate::export) social: Option<(u64, u64)>,
    pub(in crate::export) web: Option<(u64, u64)>,
    pub(in crate::export) ai: Option<(u64, u64)>,
    pub(in crate::export) saturated: Option<bool>,
    pub(in crate::export) covered: Option<f64>,
    pub(in crate::export) covered_s: Option<i64>,
    pub(in crate::export) holes: Option<Vec<HoleFacts>>,
    pub(in crate::export) pruned: bool,
}

fn count(value: u64) -> Cell<'static> {
    Cell::Integer(i64::try_from(value).unwrap_or(i64::MAX))
}

/// How many searches of a source were answered, or failed.
fn searches(of: Option<(u64, u64)>, which: fn((u64, u64)) -> u64) -> Cell<'static> {
    of.map_or(Cell::Empty, |of| count(which(of)))
}

/// A part of those that have a tone, in ten-thousandths.
fn share(row: &DailyRow, part: u64) -> Cell<'static> {
    let (part, whole) = (part.saturating_mul(10_000), row.sounds.sample());
    let rounded = part.saturating_add(whole / 2).checked_div(whole).and_then(|share| i64::try_from(share).ok());
    rounded.map_or(Cell::Empty, |share| Cell::Decimal(share, 4))
}

/// A part in ten-thousandths; what is not whole is never told as whole.
#[expect(clippy::cast_possible_truncation, reason = "a part of one")]
fn covered(part: f64) -> Cell<'static> {
    Cell::Decimal((part.clamp(0.0, 1.0) * 10_000.0).floor() as i64, 4)
}

pub(in crate::export) const DAILY: &[Column<DailyRow>] = &[
    Column::id("topic", "id of the topic", |r| Cell::Id(&r.topic)),
    Column::date("day", "the day, in UTC or the zone of `--timezone`", |r| Cell::Date(&r.day)),
    Column::time("from", "its first instant", |r| Cell::Time(r.from)),
    Column::time("until", "the first instant after it", |r| Cell::Time(r.until)),
    Column::id("last_run", "id of the last run that searched on it; empty when none did", |r| Cell::id(&r.last_run)),
    Column::integer("runs", "runs", "runs that searched on it", |r| Cell::integer(r.runs)),
    Column::integer(
        "items",
        "items",
        "items published on it, or first seen on it where that is unknown or earlier, as in [report.md](../explanation/report.md)",
        |r| count(r.counted.raw),
    ),
    Column::integer("unique", "items", "the same with near-copies counted once", |r| count(r.counted.unique)),
    Column::integer(
        "authors",
        "authors",
        "different authors of them, as far as known; empty when none of them is",
        |r| {
            if r.counted.authors == 0 && r.counted.raw > 0 { Cell::Empty } else { count(r.counted.authors) }
        },
    ),
    Column::integer("posts", "items", "of the items, posts", |r| count(r.counted.posts)),
    Column::integer("pages", "items", "of the items, pages", |r| count(r.counted.pages)),
    Column::integer("undated", "items", "of the items, without a date", |r| count(r.counted.undated)),
    Column::integer(
        "first_seen",
        "items",
        "items first seen on it, whenever they were published, baselines included",
        |r| count(r.new),
    ),
    Column::integer(
        "filtered",
        "items",
        "items of the day that the topic's filter hides; not in the other figures",
        |r| count(r.filtered),
    ),
    Column::integer("negative", "items", "items that sound negative to `scorer`", |r| count(r.sounds.negative)),
    Column::integer("neutral", "items", "neutral", |r| count(r.sounds.neutral)),
    Column::integer("positive", "items", "positive", |r| count(r.sounds.positive)),
    Column::integer("unsupported", "items", "in a language that it does not know", |r| count(r.sounds.unsupported)),
    Column::integer("unscored", "items", "judged by nobody yet, or by another scorer", |r| {
        count(r.sounds.unscored + r.sounds.by_others.values().sum::<u64>())
    }),
    Column::decimal("negative_share", "of 1", "negative of negative, neutral and positive; empty of none", |r| {
        share(r, r.sounds.negative)
    }),
    Column::decimal("positive_share", "of 1", "positive of the same", |r| share(r, r.sounds.positive)),
    Column::id(
        "scorer",
        "version of the scorer that judged most of the items of the fourteen days up to this one, as in reports",
        |r| Cell::id(&r.scorer),
    ),
    Column::integer("calls", "calls", "calls made, retries included", |r| Cell::integer(r.calls)),
    Column::money("cost_usd", "what they cost, or may cost while that is not known", |r| {
        r.cost.map_or(Cell::Empty, Cell::Money)
    }),
    Column::integer("social_answered", "searches", "social searches that were answered", |r| {
        searches(r.social, |of| of.0)
    }),
    Column::integer("social_failed", "searches", "social searches that failed or were lost", |r| {
        searches(r.social, |of| of.1)
    }),
    Column::integer("web_answered", "searches", "web searches that were answered", |r| searches(r.web, |of| of.0)),
    Column::integer("web_failed", "searches", "web searches that failed or were lost", |r| searches(r.web, |of| of.1)),
    Column::integer("ai_answered", "searches", "AI searches that were answered", |r| searches(r.ai, |of| of.0)),
    Column::integer("ai_failed", "searches", "AI searches that failed or were lost", |r| searches(r.ai, |of| of.1)),
    Column::flag("saturated", "replies were full and left a hole: there may be more items", |r| {
        Cell::flag(r.saturated)
    }),
    Column::decimal(
        "covered_share",
        "of 1",
        "part of the whole day that social searches covered ([coverage.md](../explanation/coverage.md)); of a topic that is only asked at instants, whether it was asked",
        |r| r.covered.map_or(Cell::Empty, covered),
    ),
    Column::integer("covered_s", "s", "the same in seconds; empty of a topic that is only asked at instants", |r| {
        Cell::integer(r.covered_s)
    }),
    Column::integer(
        "holes",
        "holes",
        "stretches of a minute and more, up to the topic's last run, that no search covered; `coverage` tells their causes",
        |r| r.holes.as_ref().map_or(Cell::Empty, |holes| count(holes.len() as u64)),
    ),
    Column::integer("holes_s", "s", "how long they are together", |r| {
        Cell::integer(
            r.holes
                .as_ref()
                .map(|holes| holes.iter().map(|hole| hole.span.length().as_secs()).sum::<u64>())
                .and_then(|s| i64::try_from(s).ok()),
        )
    }),
    Column::flag(
        "pruned",
        "searches of the day, or later ones that may have looked back over it, were let go for their age: what they would tell is empty and not zero; `runs`, `calls` and `cost_usd` stay where whole days of UTC were counted before",
        |r| Cell::Flag(r.pruned),
    ),
];
