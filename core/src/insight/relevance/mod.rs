//! How likely an item is good for its topic, learned from the items that people marked good or noise. Small, the same each
//! time, and made anew of marks and words whenever it is asked for: nothing of it is stored. What an item's words are is the
//! caller's; it reads no database and hides nothing.
//!
//! Three steps: `Weights` learns from marked and unmarked items which words speak for the topic; `Calibration` learns from
//! marks that were left out how far that can be believed; [`Ranker`] puts both together and says what it would fold.

mod calibration;
mod features;
mod ranker;
#[cfg(test)]
mod tests;
mod weights;

use calibration::Calibration;
pub use features::Features;
pub use ranker::{CrossChecked, LEAST_MARKS, MOST_ITEMS, Ranker, Seen};
use weights::Weights;
