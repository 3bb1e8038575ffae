//! What runs write while they go on: their beginning, each call before it is made, their end. Requests that come while
//! another transaction is being written are written in the next one together (a group commit): each is answered only when
//! it is committed, so nothing is promised earlier than if it were written alone. What one run found is still stored all
//! or none, and one request that fails takes no other with it.

use std::sync::Arc;
use std::time::Duration;

use crate::model::{ServiceLimits, Source, Time, Topic};
use crate::store::items::commit_queue::{Begin, Count, Look, Write, Written};
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
        let begin = Begin {
            topic: topic.clone(),
            public_id: public_id.to_owned(),
            now,
            lease_until: now.plus(lease),
            token: token.to_owned(),
        };
        match self.write(Write::Begin(Box::new(begin))).await? {
            Written::Begun(run) => Ok(*run),
            _ => Err(crossed()),
        }
    }

    /// Commits, before a call is made, that it will be: counts it and its expected price against the limits of the day,
    /// those of the service and those of the run's topic, and keeps the search as `started`. Fails with `Fenced` when the run is no longer held.
    pub async fn before_call(
        &self,
        run: &RunRef,
        call: &Call,
        now: Time,
        limits: impl Into<ServiceLimits>,
    ) -> Result<Permission, StoreError> {
        let count = Count { run: run.clone(), call: call.clone(), now, limits: limits.into() };
        match self.write(Write::Count(Box::new(count))).await? {
            Written::Counted(permission) => Ok(permission),
            _ => Err(crossed()),
        }
    }

    /// Stores everything a run found and ends it, all or none of it, fenced by its token. Returns counts per source.
    pub async fn finish(
        &self,
        run: &RunRef,
        outcome: impl Into<Arc<Outcome>>,
    ) -> Result<Vec<(Source, Counts)>, StoreError> {
        match self.write(Write::End(Box::new(run.clone()), outcome.into())).await? {
            Written::Ended(counts) => Ok(counts),
            _ => Err(crossed()),
        }
    }

    /// Which of these keys name items that the topic has seen, and what kind of item each names.
    pub async fn known(&self, topic: &str, keys: &[String]) -> Result<Vec<KnownKey>, StoreError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let mut place = self.commits.looks.join(Look { topic: topic.to_owned(), keys: keys.to_vec() });
        loop {
            let batch = match place.turn().await {
                Turn::Answered(answer) => return answer,
                Turn::Lead(batch) => batch,
            };
            let answers = match self.look(&batch.requests).await {
                Ok(known) => known.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error); batch.requests.len()],
            };
            batch.answer(answers);
        }
    }

    async fn look(&self, looks: &[Look]) -> Result<Vec<Vec<KnownKey>>, StoreError> {
        read_beside_writing!(self, snapshot::known(looks))
    }

    async fn write(&self, request: Write) -> Result<Written, StoreError> {
        let mut place = self.commits.writes.join(request);
        loop {
            let batch = match place.turn().await {
                Turn::Answered(answer) => return answer,
                Turn::Lead(batch) => batch,
            };
            let answers = match self.write_all(&batch.requests).await {
                Ok(answers) => answers,
                Err(error) if batch.requests.len() == 1 || error.again || error.kind != StoreErrorKind::Statement => {
                    batch.requests.iter().map(|_| Err(error.clone())).collect()
                }
                // One of them is at fault, and only that one shall fail.
                Err(_) => {
                    let mut answers = Vec::with_capacity(batch.requests.len());
                    for request in &batch.requests {
                        let alone = self.write_all(std::slice::from_ref(request)).await;
                        answers.push(alone.and_then(|mut all| all.pop().unwrap_or_else(|| Err(crossed()))));
                    }
                    answers
                }
            };
            batch.answer(answers);
        }
    }

    /// One transaction for all of them; the answers in their order.
    async fn write_all(&self, requests: &[Write]) -> Result<Vec<Result<Written, StoreError>>, StoreError> {
        write_tx!(self, together::write(requests, &self.place))
    }
}

/// An answer of another kind than its request: a defect.
fn crossed() -> StoreError {
    StoreError::unreadable("an answer to another question")
}
