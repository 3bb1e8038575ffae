//! Streams whole tables for exports from a snapshot: each row once, in a total order that is the same on both
//! databases. With a range of the reading order, rows come in that order.

use crate::model::{RunExportRow, RunSearch};
use crate::store::{AnswerRow, Filter, FirstSightingRow, ItemRow, SearchExportRow, Store, StoreError};

impl Store {
    /// Streams items by topic, first sighting and key.
    pub async fn each_item<E: From<StoreError>>(
        &self,
        filter: &Filter,
        each: &mut (dyn FnMut(ItemRow) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        stream!(self, items(filter, None, each))
    }

    /// The same for the first `most` items.
    pub async fn each_first_item<E: From<StoreError>>(
        &self,
        filter: &Filter,
        most: u64,
        each: &mut (dyn FnMut(ItemRow) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        let most = Some(i64::try_from(most).unwrap_or(i64::MAX));
        stream!(self, items(filter, most, each))
    }

    /// Streams answers by start of the run and run.
    pub async fn each_answer<E: From<StoreError>>(
        &self,
        filter: &Filter,
        each: &mut (dyn FnMut(AnswerRow) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        stream!(self, answers(filter, each))
    }

    /// Streams finished runs by start and public id.
    pub async fn each_run<E: From<StoreError>>(
        &self,
        filter: &Filter,
        each: &mut (dyn FnMut(RunExportRow) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        stream!(self, runs(filter, each))
    }

    /// Streams searches of finished runs by start of the run, run, attempt and source.
    pub async fn each_search<E: From<StoreError>>(
        &self,
        filter: &Filter,
        each: &mut (dyn FnMut(SearchExportRow) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        stream!(self, searches(filter, each))
    }

    /// Streams items as each topic first saw them, by time, run and key.
    pub async fn each_new<E: From<StoreError>>(
        &self,
        filter: &Filter,
        each: &mut (dyn FnMut(FirstSightingRow) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        stream!(self, new(filter, each))
    }

    /// Streams runs with their searches by topic, time and run; includes slots that were not run.
    pub async fn each_run_search<E: From<StoreError>>(
        &self,
        filter: &Filter,
        each: &mut (dyn FnMut(RunSearch) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        stream!(self, run_searches(filter, each))
    }
}
