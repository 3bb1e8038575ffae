//! Remembers recent deletions, so that they can be undone; the number of tries today; and the results of alert trials.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::jobs_file::{AlertTrial, JobsFile};
use crate::edit::{Kind, Removed};
use crate::model::Time;

/// Deletions that can be undone, and alert trials that can be viewed.
const MAX_KEPT: usize = 20;
/// Tries in a UTC day: each costs a call that no topic's limit counts.
pub(super) const TRIES: u32 = 50;

/// A deleted entry, kept so that it can be restored.
#[derive(Debug, Clone)]
pub(super) struct Deletion {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) removed: Removed,
    /// The file as the deletion left it.
    pub(super) left: String,
}

/// The file, and what is remembered.
pub(super) struct Editing {
    pub(super) file: Arc<dyn JobsFile>,
    deleted: Mutex<VecDeque<(String, Deletion)>>,
    trials: Mutex<VecDeque<(String, AlertTrial)>>,
    /// The UTC day, and its tries so far.
    tries: Mutex<(i64, u32)>,
}

impl Editing {
    pub(super) fn of(file: Arc<dyn JobsFile>) -> Self {
        Self { file, deleted: Mutex::default(), trials: Mutex::default(), tries: Mutex::default() }
    }

    /// Remembers a deletion under the fingerprint that the file had before. Forgets the oldest if there are too many.
    pub(super) fn remember(&self, id: String, deleted: Deletion) {
        let mut all = self.deleted.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(known, _)| *known != id);
        if all.len() >= MAX_KEPT {
            all.pop_front();
        }
        all.push_back((id, deleted));
    }

    pub(super) fn deleted(&self, id: &str) -> Option<Deletion> {
        let all = self.deleted.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|(known, _)| known == id).map(|(_, deleted)| deleted.clone())
    }

    /// Forgets a deletion that was undone.
    pub(super) fn forget(&self, id: &str) {
        let mut all = self.deleted.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|(known, _)| known != id);
    }

    /// Remembers the result of an alert trial. Forgets the oldest if there are too many.
    pub(super) fn keep_trial(&self, id: String, trial: AlertTrial) {
        let mut all = self.trials.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MAX_KEPT {
            all.pop_front();
        }
        all.push_back((id, trial));
    }

    pub(super) fn trial(&self, id: &str) -> Option<AlertTrial> {
        let all = self.trials.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|(known, _)| known == id).map(|(_, trial)| trial.clone())
    }

    /// Counts a try. Returns whether it is still allowed today.
    pub(super) fn may_try(&self, now: Time) -> bool {
        let mut tries = self.tries.lock().unwrap_or_else(PoisonError::into_inner);
        let today = now.utc_day();
        if tries.0 != today {
            *tries = (today, 0);
        }
        tries.1 += 1;
        tries.1 <= TRIES
    }
}
