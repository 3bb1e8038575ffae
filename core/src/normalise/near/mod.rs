//! Near-copies: decides whether two items have nearly the same text (retweets, quoted templates, the same headline on
//! another site). Pure: computes the keys that find an item's copies and the sketch that compares them, and assigns
//! items to clusters. Copies remain separate items. Method and figures are in `docs/explanation/near-copies.md`.
//!
//! ```text
//! Text --letters--> letters and numbers --sketch--> Sketch --alike--> copies or not <--opposes-- different meaning
//!     \--said, meant--> words in order --/  \--bands--> keys            choose: which cluster, in order
//! ```

mod alike;
mod bands;
mod choose;
mod letters;
mod noise;
mod opposes;
mod said;
mod sketch;
mod stable_hash;
mod word_sense;

#[cfg(test)]
mod measured;
#[cfg(test)]
mod opposite;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod properties;

pub use alike::similarity;
pub use choose::{KnownClusters, assign_clusters, needed_heads};
pub use stable_hash::NEAR_VERSION;

use crate::model::{Fingerprint, ItemText, Kind};
use letters::Letters;

/// The keys and sketch of an item; `None` if its text is too short to be compared.
#[must_use]
pub fn fingerprint(words: &ItemText) -> Option<Fingerprint> {
    let text = words.text.as_deref().map(Letters::of_text).unwrap_or_default();
    let title = words.title.as_deref().filter(|_| words.kind == Kind::Page).map(letters::strip_site_name);
    let titled = title.map(Letters::of_text).unwrap_or_default();
    let bands = bands::of(words.kind, &text, &titled);
    if bands.is_empty() {
        return None;
    }
    let said = words.text.as_deref().map(said::words).unwrap_or_default();
    let said_in_title = title.map(said::words).unwrap_or_default();
    let mood = sketch::CertainTone::of(words.score);
    Some(Fingerprint { bands, sketch: sketch::encode(words.kind, (&text, &said), (&titled, &said_in_title), mood) })
}
