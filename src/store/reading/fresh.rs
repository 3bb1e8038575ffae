//! Reads whether items were new when topics first saw them; see `reading/sql/fresh`.

use std::collections::{BTreeSet, HashMap};

use crate::model::{Time, WindowFit};
use crate::store::{Store, StoreError};

impl Store {
    /// Returns the public ids of runs of a clock that was ahead whose items are not new since an instant: they were over
    /// before it.
    pub async fn runs_ahead(&self, since: Time) -> Result<BTreeSet<String>, StoreError> {
        Ok(read!(self, followers::ahead_before(since))?.into_iter().map(|(_, run)| run).collect())
    }

    /// Returns by topic and key whether items were in the window when topics first saw them; of all topics, or of one.
    pub async fn window_fits(
        &self,
        topic: Option<&str>,
        keys: &[String],
    ) -> Result<HashMap<(String, String), WindowFit>, StoreError> {
        read!(self, fresh::fits(topic, keys))
    }

    /// Returns by run how many of the items it saw first were older than its window. Runs without any are left out.
    pub async fn older_counts(&self, runs: &[String]) -> Result<HashMap<String, i64>, StoreError> {
        read!(self, fresh::older_counts(runs))
    }

    /// Returns by run how many items that it counted as new were forgotten or merged since although none of them was
    /// new: it could find only a baseline, or was a backfill. For other runs this is unknown. Runs without any are left
    /// out.
    pub async fn gone_counts(&self, runs: &[String]) -> Result<HashMap<String, i64>, StoreError> {
        read!(self, fresh::gone_counts(runs))
    }

    /// Returns by run how many baseline items it saw first. Runs without any are left out.
    pub async fn baselines_of_runs(&self, runs: &[String]) -> Result<HashMap<String, i64>, StoreError> {
        read!(self, fresh::baselines_of_runs(runs))
    }
}
