//! How likely an item is good for its topic, learned from items that people marked good or noise. Deterministic, and
//! learned again from marks and words each time: nothing is stored. Pure: the caller provides the rows, and nothing is
//! hidden here.
//!
//! [`features_of_item`] reads the words of an item. Then three steps: `Weights` learns from marked and unmarked items which
//! words speak for the topic. `Calibration` learns from left-out marks how reliable that is. [`Ranker`] combines both and
//! decides what to fold. [`suggest`] chooses the items to mark next.

mod calibration;
mod features;
mod item_features;
mod mark;
mod ranker;
mod suggestion;
#[cfg(test)]
mod tests;
mod weights;

use calibration::Calibration;
pub use features::Features;
pub use item_features::{features_of_item, features_of_sighting};
pub use mark::{TrainingItem, TrainingMark};
pub use ranker::{CrossCheck, LEAST_MARKS, MOST_ITEMS, Ranker};
pub use suggestion::{SUGGESTIONS, suggest};
use weights::Weights;
