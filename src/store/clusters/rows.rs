//! A batch of items that nobody has compared with others yet.

use crate::model::{Room, Wording};

/// Items that nobody has looked at, and what was known when they were read. The database's ids stay inside the process.
#[derive(Debug, Clone)]
pub struct Unclustered {
    /// Everything up to here was looked at before.
    pub(crate) from: i64,
    /// And everything up to here will have been.
    pub(crate) until: i64,
    /// The place of the next cluster that begins.
    pub next: i64,
    /// Changes with everything that is written.
    pub(crate) turn: i64,
    /// Keys that are kept apart because they are young, and whether they are moving on.
    pub(crate) young: i64,
    pub(crate) middle: i64,
    pub(crate) sinking: bool,
    pub(crate) items: Vec<i64>,
    /// What they say, in order.
    pub words: Vec<Wording>,
}

impl Unclustered {
    /// Whether keys are to move on before more are written.
    #[must_use]
    pub fn crowded(&self, room: &Room) -> bool {
        self.sinking || self.young > room.young || self.middle > room.middle
    }
}
