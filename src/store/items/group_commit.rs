//! Group commit for the writes of runs: their beginning, each call before it is made, their end. Requests that arrive
//! while a transaction is being written go into the next one together. Each is answered only when it is committed, as
//! if it were written alone. A run's findings are still stored all or nothing, and a request that fails does not fail
//! the others.

use std::sync::Arc;
use std::time::Duration;

use crate::model::{ServiceLimits, Source, Time, Topic};
use crate::store::items::commit_queue::{CountCall, KeyLookup, ManualStart, Write, Written};
use crate::store::items::queue::Turn;
use crate::store::{Call, Counts, KnownKey, Outcome, Permission, RunRef, Store, StoreError, StoreErrorKind};

impl Store {
    /// Begins a manual run at once.
    pub async fn start_manual(
        &self,
        topic: &Topic,
        public_id: &str,
        now: Time,
        lease: Duration,
        token: &str,
    ) -> Result<RunRef, StoreError> {
        let begin = ManualStart {
            topic: topic.clone(),
            public_id: public_id.to_owned(),
            now,
            lease_until: now.plus(lease),
            token: token.to_owned(),
        };
        match self.write(Write::ManualStart(Box::new(begin))).await? {
            Written::Begun(run) => Ok(*run),
            _ => Err(mismatched_answer()),
        }
    }

    /// Commits a call before it is made: counts it and its expected price against the daily limits of the service and
    /// of the run's topic, and stores the search as `started`. Fails with `Fenced` if the run is no longer held.
    pub async fn before_call(
        &self,
        run: &RunRef,
        call: &Call,
        now: Time,
        limits: impl Into<ServiceLimits>,
    ) -> Result<Permission, StoreError> {
        let count = CountCall { run: run.clone(), call: call.clone(), now, limits: limits.into() };
        match self.write(Write::CountCall(Box::new(count))).await? {
            Written::Counted(permission) => Ok(permission),
            _ => Err(mismatched_answer()),
        }
    }

    /// Ends a run and stores everything it found, all or nothing, fenced by its token. Returns counts per source.
    pub async fn finish(
        &self,
        run: &RunRef,
        outcome: impl Into<Arc<Outcome>>,
    ) -> Result<Vec<(Source, Counts)>, StoreError> {
        match self.write(Write::End(Box::new(run.clone()), outcome.into())).await? {
            Written::Ended(counts) => Ok(counts),
            _ => Err(mismatched_answer()),
        }
    }

    /// Returns those of these keys that name items the topic has seen, with the kind of each item.
    pub async fn known_keys(&self, topic: &str, keys: &[String]) -> Result<Vec<KnownKey>, StoreError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let mut place = self.commits.looks.join(KeyLookup { topic: topic.to_owned(), keys: keys.to_vec() });
        loop {
            let batch = match place.wait_for_turn().await {
                Turn::Answered(answer) => return answer,
                Turn::Lead(batch) => batch,
            };
            let answers = match self.look_up(&batch.requests).await {
                Ok(known) => known.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error); batch.requests.len()],
            };
            batch.answer(answers);
        }
    }

    async fn look_up(&self, looks: &[KeyLookup]) -> Result<Vec<Vec<KnownKey>>, StoreError> {
        read_beside_writing!(self, snapshot::known_keys(looks))
    }

    async fn write(&self, request: Write) -> Result<Written, StoreError> {
        let mut place = self.commits.writes.join(request);
        loop {
            let batch = match place.wait_for_turn().await {
                Turn::Answered(answer) => return answer,
                Turn::Lead(batch) => batch,
            };
            let answers = match self.write_all(&batch.requests).await {
                Ok(answers) => answers,
                Err(error) if batch.requests.len() == 1 || error.again || error.kind != StoreErrorKind::Statement => {
                    batch.requests.iter().map(|_| Err(error.clone())).collect()
                }
                // One request is at fault, and only that one must fail.
                Err(_) => {
                    let mut answers = Vec::with_capacity(batch.requests.len());
                    for request in &batch.requests {
                        let alone = self.write_all(std::slice::from_ref(request)).await;
                        answers.push(alone.and_then(|mut all| all.pop().unwrap_or_else(|| Err(mismatched_answer()))));
                    }
                    answers
                }
            };
            batch.answer(answers);
        }
    }

    /// Writes all requests in one transaction; returns the answers in the same order.
    async fn write_all(&self, requests: &[Write]) -> Result<Vec<Result<Written, StoreError>>, StoreError> {
        write_tx!(self, group_commit::write(requests, &self.place))
    }
}

/// An answer that does not match its request: a bug.
fn mismatched_answer() -> StoreError {
    StoreError::unreadable("an answer to another question")
}
