//! How likely an item is good for its topic, learned from items that people marked good or noise. Deterministic, and
//! learned again from marks and words each time: nothing is stored. Pure: the caller provides the words, and nothing is
//! hidden here.
//!
//! Three steps: `Weights` learns from marked and unmarked items which words speak for the topic. `Calibration` learns
//! from left-out marks how reliable that is. [`Ranker`] combines both and decides what to fold. [`suggest`] chooses the
//! items to mark next.

mod calibration;
mod features;
mod mark;
mod ranker;
mod suggestion;
#[cfg(test)]
mod tests;
mod weights;

use calibration::Calibration;
pub use features::Features;
pub use mark::{TrainingItem, TrainingMark};
pub use ranker::{CrossCheck, LEAST_MARKS, MOST_ITEMS, Ranker};
pub use suggestion::{SUGGESTIONS, suggest};
use weights::Weights;
