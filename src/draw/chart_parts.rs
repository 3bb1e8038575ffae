//! Shares over the parts of a week or month as inline SVG: one row of bars per topic, all on one scale. Parts with
//! little coverage are hatched. The table next to it has the numbers.

use maud::{Markup, html};

use super::chart::{WIDTH, coordinate};
use super::format;
use crate::insight::daily::Share;

/// Height of a row: its title, with its bars below.
const ROW: f64 = 64.0;
const TITLE: f64 = 14.0;
const BARS: f64 = 32.0;
/// Height of the labels below the last row.
const NAMES: f64 = 18.0;

/// A topic's shares, one per part.
#[derive(Debug, Clone)]
pub struct PartsRow {
    pub title: String,
    pub shares: Vec<PartShare>,
}

/// A topic's share of a part.
#[derive(Debug, Clone)]
pub struct PartShare {
    /// `None` without items.
    pub share: Option<Share>,
    /// The share in words, such as `≥ 42%`.
    pub label: String,
}

#[expect(clippy::cast_precision_loss, reason = "a few rows and parts")]
fn to_f64(many: usize) -> f64 {
    many as f64
}

/// Draws the rows. `names` are the labels of the parts; `thin` marks parts with too little coverage.
#[must_use]
pub fn shares(names: &[&str], thin: &[bool], rows: &[PartsRow]) -> Markup {
    let height = to_f64(rows.len()) * ROW + NAMES;
    let step = WIDTH / to_f64(names.len().max(1));
    let most = rows
        .iter()
        .flat_map(|row| row.shares.iter())
        .filter_map(|part| part.share)
        .map(|share| share.share)
        .fold(0.01, f64::max);
    let spoken = |part: &PartShare| if part.share.is_some() { part.label.clone() } else { "none".to_owned() };
    let words = rows.iter().map(|row| {
        let parts = names.iter().zip(&row.shares).map(|(name, part)| format!("{name} {}", spoken(part)));
        format!("{}: {}", row.title, parts.collect::<Vec<_>>().join(", "))
    });
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-labelledby="voice-parts-title voice-parts-words" {
            title id="voice-parts-title" { "Share of voice over time, by unique items" }
            desc id="voice-parts-words" { (words.collect::<Vec<_>>().join("; ")) }
            defs { pattern id="voice-parts-hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                rect class="hatch-ground" width="5" height="5" {}
                line class="hatch" x1="0" y1="0" x2="0" y2="5" {}
            } }
            @for (place, _) in thin.iter().enumerate().filter(|(_, thin)| **thin) {
                rect fill="url(#voice-parts-hatch)" x=(coordinate(to_f64(place) * step + 1.0)) y="0" width=(coordinate(step - 2.0)) height=(coordinate(height - NAMES)) {}
            }
            @for (line, row) in rows.iter().enumerate() {
                @let bottom = to_f64(line) * ROW + ROW - 4.0;
                text class="label now" x="0" y=(coordinate(to_f64(line) * ROW + TITLE - 3.0)) { (format::line(&row.title, 40)) }
                line class="axis" x1="0" y1=(coordinate(bottom)) x2=(coordinate(WIDTH)) y2=(coordinate(bottom)) {}
                @for (place, part) in row.shares.iter().enumerate() {
                    @let long = part.share.map_or(0.0, |share| share.share / most * BARS);
                    @let middle = (to_f64(place) + 0.5) * step;
                    rect class="bar" x=(coordinate(middle - step * 0.3)) y=(coordinate(bottom - long)) width=(coordinate(step * 0.6)) height=(coordinate(long)) {}
                    text class="label" x=(coordinate(middle)) y=(coordinate(bottom - long - 2.0)) text-anchor="middle" { (part.label) }
                }
            }
            @for (place, name) in names.iter().enumerate() {
                text class="label" x=(coordinate((to_f64(place) + 0.5) * step)) y=(coordinate(height - 4.0)) text-anchor="middle" { (name) }
            }
        }
    }
}
