//! Whether what topics saw first was new when they saw it; see `statements/fresh`.

use std::collections::HashMap;

use crate::model::{Time, WindowFit};
use crate::store::{Store, StoreError};

impl Store {
    /// Whether items lay in the window when each topic that knows them saw them first, or one topic, by topic and key.
    pub async fn first_fits(
        &self,
        topic: Option<&str>,
        keys: &[String],
    ) -> Result<HashMap<(String, String), WindowFit>, StoreError> {
        read!(self, fresh::fits(topic, keys))
    }

    /// Of what runs saw first, how much was older than its window, by run; a run without any is not there.
    pub async fn older_of(&self, runs: &[String]) -> Result<HashMap<String, i64>, StoreError> {
        read!(self, fresh::older(runs))
    }

    /// How many items of baselines each of these topics saw since an instant; a topic without any is not there.
    pub async fn baseline_since(&self, topics: &[String], since: Time) -> Result<HashMap<String, i64>, StoreError> {
        read!(self, fresh::of_baselines(topics, since))
    }
}
