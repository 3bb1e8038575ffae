//! Near-copies: whether two items say the same in nearly the same words (retweets, quoted templates, the same headline on
//! another site). Pure: it makes of an item the keys its copies are found by and a sketch they are compared by, and
//! decides which cluster an item belongs to. It is no identity (copies stay items of their own), knows no meaning, and
//! looks nothing up. Method and figures are in `docs/explanation/near-copies.md`.
//!
//! ```text
//! Words --letters--> letters and numbers --sketch--> Sketch --alike--> same or not <--opposes-- said something else
//!      \--said, meant--> words in order --/  \--bands--> keys            choose: which cluster, in order
//! ```

mod alike;
mod bands;
mod choose;
mod letters;
mod meant;
mod opposes;
mod said;
mod sketch;
mod skipped;
mod stable_hash;

#[cfg(test)]
mod measured;
#[cfg(test)]
mod opposite;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod properties;

pub use alike::alike;
pub use choose::{Known, choose, wanted};
pub use stable_hash::NEAR_VERSION;

use crate::model::{Kind, Marks, Wording};
use letters::Letters;

/// The marks of an item; `None` when it says too little to be compared.
#[must_use]
pub fn marks(words: &Wording) -> Option<Marks> {
    let text = words.text.as_deref().map(Letters::of_text).unwrap_or_default();
    let title = words.title.as_deref().filter(|_| words.kind == Kind::Page).map(letters::headline);
    let titled = title.map(Letters::of_text).unwrap_or_default();
    let bands = bands::of(words.kind, &text, &titled);
    if bands.is_empty() {
        return None;
    }
    let said = words.text.as_deref().map(said::words).unwrap_or_default();
    let said_in_title = title.map(said::words).unwrap_or_default();
    let mood = sketch::Mood::of(words.score);
    Some(Marks { bands, sketch: sketch::encoded(words.kind, (&text, &said), (&titled, &said_in_title), mood) })
}
