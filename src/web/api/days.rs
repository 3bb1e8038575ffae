//! A topic's last fourteen local days: its items, its tone, and the gaps in its coverage. The days are counted in the
//! background, never here.

use axum::response::Response;
use serde_json::{Value, json};

use super::call::Call;
use super::call::envelope::answer;
use super::topics::card;
use crate::draw::chart::{Chart, ChartDay};
use crate::web::pages::topic::days::{ChartUnit, chart_of};
use crate::web::problem::Problem;

pub(super) async fn list(call: Call) -> Result<Response, Problem> {
    let card = card(&call).await?;
    let (mut data, mut scorers) = (Vec::new(), Vec::new());
    if let Some(of_topic) = chart_of(call.site(), &card, ChartUnit::Day).await? {
        let days = of_topic.chart.days.iter().zip(&of_topic.full_days);
        data = days.map(|(day, full)| as_json(&of_topic.chart, day, *full)).collect();
        scorers = of_topic.scorers;
    }
    let waits = call.site().store.days_pending(std::slice::from_ref(&card.topic)).await?;
    let fields = [
        ("data", json!(data)),
        ("timezone", json!(card.timezone())),
        ("uncounted", json!(waits)),
        ("scorers", json!(scorers)),
    ];
    answer(&call, fields).await
}

fn as_json(chart: &Chart, day: &ChartDay, full: bool) -> Value {
    let gaps = |before: bool| -> u64 {
        let gaps = chart.holes.iter().filter(|hole| hole.before == before);
        gaps.filter_map(|hole| hole.span.intersection(day.span)).map(|span| span.length().as_secs()).sum()
    };
    json!({
        "date": day.date,
        "from": day.span.from,
        "until": day.span.until,
        "items": day.all,
        "unique": day.unique,
        "saturated": full,
        "at_least": day.at_least,
        "scored": day.scored,
        "negative": day.negative,
        "positive": day.positive,
        "uncovered_s": gaps(false),
        "unwatched_s": gaps(true),
    })
}
