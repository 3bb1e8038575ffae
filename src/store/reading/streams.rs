//! Whole tables for exports: each row is handed over once, in an order that is total and the same on both databases, while
//! the database stands still for whoever reads. With a stretch of the reading order, rows come in that order.

use crate::model::Look;
use crate::store::{AnswerRow, Filter, ItemRow, NewRow, RunRow, SearchedRow, Store, StoreError};

impl Store {
    /// Items by topic, first seen and key.
    pub async fn each_item<E: From<StoreError>>(
        &self,
        filter: &Filter,
        each: &mut (dyn FnMut(ItemRow) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        stream!(self, items(filter, each))
    }

    /// Answers by run begun and run.
    pub async fn each_answer<E: From<StoreError>>(
        &self,
        filter: &Filter,
        each: &mut (dyn FnMut(AnswerRow) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        stream!(self, answers(filter, each))
    }

    /// Finished runs by begin and public id.
    pub async fn each_run<E: From<StoreError>>(
        &self,
        filter: &Filter,
        each: &mut (dyn FnMut(RunRow) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        stream!(self, runs(filter, each))
    }

    /// Searches of finished runs by run begun, run, attempt and source.
    pub async fn each_search<E: From<StoreError>>(
        &self,
        filter: &Filter,
        each: &mut (dyn FnMut(SearchedRow) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        stream!(self, searches(filter, each))
    }

    /// Items as each topic saw them first, by time, run and key.
    pub async fn each_new<E: From<StoreError>>(
        &self,
        filter: &Filter,
        each: &mut (dyn FnMut(NewRow) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        stream!(self, new(filter, each))
    }

    /// When topics were looked at, by topic, time and run; also slots that were not run.
    pub async fn each_look<E: From<StoreError>>(
        &self,
        filter: &Filter,
        each: &mut (dyn FnMut(Look) -> Result<(), E> + Send),
    ) -> Result<(), E> {
        stream!(self, looks(filter, each))
    }
}
