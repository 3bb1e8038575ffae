//! The options of an export: rows and format. Also the errors of exports.

use std::collections::BTreeMap;

use super::formats::csv::Profile;
use super::formats::format::Format;
use super::formats::xlsx;
use super::row_kind::ExportKind;
use crate::model::{Topic, WatchedTopic};
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

/// What to write, and how.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    pub what: ExportKind,
    pub format: Format,
    /// The profile, if the format is CSV.
    pub profile: Profile,
    pub filter: Filter,
    /// The zone of the days of `daily`: an IANA name.
    pub timezone: String,
    /// Rows of a workbook's sheet, its header included.
    pub sheet_rows: u32,
    /// The run after which `changes` begins, by topic. For other topics `since` of the filter counts, or the run
    /// before the last.
    pub since_runs: BTreeMap<String, i64>,
    /// Leaves out what an item has from other topics ([`crate::model::ItemRow::without_shared_fields`]), for readers who may not see
    /// them.
    pub without_shared_fields: bool,
}

impl ExportOptions {
    /// All rows of a kind, as CSV for programs.
    #[must_use]
    pub fn all(what: ExportKind) -> Self {
        Self {
            what,
            format: Format::Csv,
            profile: Profile::Machine,
            filter: Filter::default(),
            timezone: "UTC".into(),
            sheet_rows: xlsx::MOST_ROWS,
            since_runs: BTreeMap::new(),
            without_shared_fields: false,
        }
    }

    /// The topics to export, of those that this version can read: all, or those that are named or tagged.
    pub(super) async fn topics(
        &self,
        store: &Store,
    ) -> Result<impl Iterator<Item = (WatchedTopic, Topic)> + use<>, StoreError> {
        let tags = self.filter.tags.clone();
        let matches_tags = move |topic: &Topic| tags.is_empty() || topic.tags.iter().any(|tag| tags.contains(tag));
        let watched = store.watched_topics(&self.filter.topics).await?.into_iter();
        Ok(watched.filter_map(move |watched| {
            let topic = watched.definition.clone().filter(|topic| matches_tags(topic))?;
            Some((watched, topic))
        }))
    }
}
