//! The counts of a search: what an item adds to them, and their sums.

use crate::model::WindowFit;

/// The counts of one source in a stored run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Counts {
    /// Readable entries of the reply.
    pub found: i64,
    /// First sightings for the topic; `found = new + duplicate`.
    pub new: i64,
    /// Already known to the topic, found by an earlier source of the run, or repeated in the reply.
    pub duplicate: i64,
    /// Entries of `found` outside the window.
    pub outside: i64,
    /// Entries of `found` without a date.
    pub undated: i64,
}

impl Counts {
    /// The counts of one item's entries in a reply, of which `new` (0 or 1) are a first sighting.
    #[must_use]
    pub fn of_item(entries: i64, new: i64, fit: WindowFit) -> Self {
        let if_fit = |one: WindowFit| if fit == one { entries } else { 0 };
        let (outside, undated) = (if_fit(WindowFit::Outside), if_fit(WindowFit::Undated));
        Self { found: entries, new, duplicate: entries - new, outside, undated }
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, more: Self) {
        self.found += more.found;
        self.new += more.new;
        self.duplicate += more.duplicate;
        self.outside += more.outside;
        self.undated += more.undated;
    }
}
