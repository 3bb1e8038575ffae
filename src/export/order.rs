//! What is to be exported: which rows, in which format, and why it can fail.

use std::collections::BTreeMap;

use super::csv::Profile;
use super::format::Format;
use super::what::What;
use super::xlsx;
use crate::model::{Topic, Watched};
use crate::store::{Filter, Store, StoreError};

/// Why an export ended early.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The rows could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The output could not be written.
    #[error(transparent)]
    Output(#[from] std::io::Error),
}

/// What is to be written, and how.
#[derive(Debug, Clone)]
pub struct Order {
    pub what: What,
    /// In which format.
    pub format: Format,
    /// For whom, where the format is CSV.
    pub profile: Profile,
    /// Which of them.
    pub filter: Filter,
    /// Whose days `daily` tells of: an IANA name.
    pub timezone: String,
    /// Rows of a sheet of a workbook, its header included.
    pub sheet_rows: u32,
    /// After which run `changes` begins, for topics of which that was said; for the others `since` of the filter counts, or
    /// the run before the last.
    pub since_runs: BTreeMap<String, i64>,
    /// For who does not see all topics: leaves out what an item has of others ([`crate::model::ItemRow::alone`]).
    pub alone: bool,
}

impl Order {
    /// All rows of a kind as CSV for programs.
    #[must_use]
    pub fn all(what: What) -> Self {
        Self {
            what,
            format: Format::Csv,
            profile: Profile::Machine,
            filter: Filter::default(),
            timezone: "UTC".into(),
            sheet_rows: xlsx::MOST_ROWS,
            since_runs: BTreeMap::new(),
            alone: false,
        }
    }

    /// The topics that it is about, of those that this version can read: all, or those that are named or tagged.
    pub(super) async fn topics(
        &self,
        store: &Store,
    ) -> Result<impl Iterator<Item = (Watched, Topic)> + use<>, StoreError> {
        let tags = self.filter.tags.clone();
        let meant = move |topic: &Topic| tags.is_empty() || topic.tags.iter().any(|tag| tags.contains(tag));
        let watched = store.watched(&self.filter.topics).await?.into_iter();
        Ok(watched.filter_map(move |watched| {
            let topic = watched.definition.clone().filter(|topic| meant(topic))?;
            Some((watched, topic))
        }))
    }
}
