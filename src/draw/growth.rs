//! A number over time as inline SVG: the reactions to an item, with the figures of each point on hover or focus.

use maud::{Markup, html};

use super::chart::{Axis, HEIGHT, LEFT, RIGHT, WIDTH, ceiling, coordinate, point, scale, y};
use super::format;
use crate::model::{Span, Time};

/// Draws a number over sorted instants; the axis shows the first and the last instant.
#[must_use]
pub fn growth(points: &[(Time, i64)], what: &str) -> Markup {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return html! {} };
    #[expect(clippy::cast_precision_loss, reason = "counts of reactions")]
    let real = |n: i64| n as f64;
    let top = ceiling(points.iter().map(|(_, n)| real(*n)).fold(1.0, f64::max));
    let axis = Axis { span: Span { from: first.0, until: last.0 } };
    let at: Vec<(f64, f64)> = points.iter().map(|(at, n)| (axis.x(*at), y(real(*n) / top))).collect();
    let path: Vec<String> = at.iter().map(|(x, y)| format!("{},{}", coordinate(*x), coordinate(*y))).collect();
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="group" aria-label=(format!(
            "{what}: {} on {}, {} on {}", format::signed(first.1), format::date_time(first.0, "UTC"), format::signed(last.1), format::date_time(last.0, "UTC")
        )) {
            (scale(1.0, &format::round(top)))
            (scale(0.5, &format::round(top / 2.0)))
            line class="axis" x1=(coordinate(LEFT)) y1=(coordinate(y(0.0))) x2=(coordinate(WIDTH - RIGHT)) y2=(coordinate(y(0.0))) {}
            polyline class="line" points=(path.join(" ")) {}
            @for (x, y) in &at { circle class="point" cx=(coordinate(*x)) cy=(coordinate(*y)) r="2.2" {} }
            text class="label" x=(coordinate(LEFT)) y=(coordinate(HEIGHT - 8.0)) { (format::date_time(first.0, "UTC")) }
            text class="label" x=(coordinate(WIDTH - RIGHT)) y=(coordinate(HEIGHT - 8.0)) text-anchor="end" { (format::date_time(last.0, "UTC")) }
            // Each area reaches halfway to its neighbours.
            @for (place, (x, _)) in at.iter().enumerate() {
                @let from = place.checked_sub(1).and_then(|before| at.get(before)).map_or(LEFT, |(before, _)| f64::midpoint(*before, *x));
                @let until = at.get(place + 1).map_or(WIDTH - RIGHT, |(after, _)| f64::midpoint(*after, *x));
                @if let Some((when, many)) = points.get(place) { (point(from, until - from, &format!("{}: {} {what}", format::date_time(*when, "UTC"), format::signed(*many)))) }
            }
        }
    }
}
