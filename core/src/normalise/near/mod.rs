//! Near-copies: decides whether two items have nearly the same text (retweets, quoted templates, the same headline on
//! another site). Pure: computes the keys that find an item's copies and the sketch that compares them, and assigns
//! items to clusters. Copies remain separate items. Method and figures are in `docs/explanation/near-copies.md`.
//!
//! ```text
//! Text --letters--> letters and numbers --sketch--> Sketch --alike--> copies or not <--opposes-- different meaning
//!     \--said, meant--> words in order --/  \--bands--> keys            choose: which cluster, in order
//! ```

mod assignment;
mod contradiction;
mod denial;
mod east_asian;
mod letters;
mod minhash;
mod noise;
mod numerals;
mod similarity;
mod sketch;
mod stable_hash;
mod word_sense;
mod word_sequence;

#[cfg(test)]
mod accuracy_tests;
#[cfg(test)]
mod contradiction_tests;
#[cfg(test)]
mod denial_tests;
#[cfg(test)]
mod page_tests;
#[cfg(test)]
mod property_tests;

pub use assignment::{KnownClusters, assign_clusters, needed_heads};
pub use similarity::similarity;
pub use stable_hash::NEAR_VERSION;

use crate::model::{Fingerprint, ItemText, Kind};
use letters::Letters;

use super::amounts;
use super::text::is_invisible;

/// The keys and sketch of an item; `None` if its text is too short to be compared.
#[must_use]
pub fn fingerprint(item: &ItemText) -> Option<Fingerprint> {
    let text = item.text.as_deref().map(spelt_out).unwrap_or_default();
    let title = item.title.as_deref().filter(|_| item.kind == Kind::Page).map(letters::strip_site_name);
    let title = title.map(spelt_out).unwrap_or_default();
    let (texted, titled) = (Letters::of_text(&text), Letters::of_text(&title));
    let bands = minhash::of(item.kind, &texted, &titled);
    if bands.is_empty() {
        return None;
    }
    let (text_words, title_words) = (word_sequence::words(&text), word_sequence::words(&title));
    let mood = sketch::CertainTone::of(item.score);
    Some(Fingerprint {
        bands,
        sketch: sketch::encode(item.kind, (&texted, &text_words), (&titled, &title_words), mood),
    })
}

/// The part of a text that is read, with its signs and units written out.
fn spelt_out(text: &str) -> String {
    amounts::spelt_out(&text.chars().take(letters::MOST_READ).filter(|c| !is_invisible(*c)).collect::<String>())
}
