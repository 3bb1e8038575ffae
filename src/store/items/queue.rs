//! A queue that groups requests: requests that arrive while a transaction is being written wait, and one of the waiting
//! tasks writes them all in the next transaction. Independent of the database. Answers are given only after the commit.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{MutexGuard, oneshot};

use crate::store::{StoreError, StoreErrorKind};

/// The waiting requests, and the lock of the task that writes.
#[derive(Debug)]
pub(in crate::store) struct Queue<Q, A> {
    waiting: Mutex<VecDeque<Waiting<Q, A>>>,
    /// Held by the task that writes; the value is the number of requests written last time.
    turn: tokio::sync::Mutex<usize>,
}

type Answer<A> = Result<A, StoreError>;
type Waiting<Q, A> = (Q, oneshot::Sender<Answer<A>>);

/// The next step for a waiting request.
pub(in crate::store) enum Turn<'a, Q, A> {
    /// Another task wrote it.
    Answered(Answer<A>),
    /// Write and answer these requests. The task's own request is among them or follows in a later batch.
    Lead(Batch<'a, Q, A>),
}

/// Requests to be written together, in order of arrival.
pub(in crate::store) struct Batch<'a, Q, A> {
    pub(in crate::store) requests: Vec<Q>,
    answers: Vec<oneshot::Sender<Answer<A>>>,
    _turn: MutexGuard<'a, usize>,
}

/// A request's place in the queue.
pub(in crate::store) struct QueueEntry<'a, Q, A> {
    queue: &'a Queue<Q, A>,
    mine: oneshot::Receiver<Answer<A>>,
}

impl<Q, A> Default for Queue<Q, A> {
    fn default() -> Self {
        Self { waiting: Mutex::default(), turn: tokio::sync::Mutex::default() }
    }
}

impl<Q, A> Queue<Q, A> {
    /// The most requests written together.
    const MOST: usize = 64;

    /// How long a writer waits for others if the last batch had several requests. Much shorter than a call, but enough
    /// for parallel runs to share their commits. A single run does not wait.
    const LINGER: Duration = Duration::from_millis(3);

    /// Adds a request at the end.
    pub(in crate::store) fn join(&self, request: Q) -> QueueEntry<'_, Q, A> {
        let (answer, mine) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push_back((request, answer));
        QueueEntry { queue: self, mine }
    }
}

impl<'a, Q, A> QueueEntry<'a, Q, A> {
    /// Waits for the answer or for the turn to write.
    pub(in crate::store) async fn wait_for_turn(&mut self) -> Turn<'a, Q, A> {
        let mut turn = tokio::select! {
            biased;
            answered = &mut self.mine => return Turn::Answered(answered.unwrap_or_else(|_| Err(abandoned()))),
            turn = self.queue.turn.lock() => turn,
        };
        if *turn > 1 {
            tokio::time::sleep(Queue::<Q, A>::LINGER).await;
        } else {
            // Let tasks that became ready at the same moment join.
            tokio::task::yield_now().await;
        }
        match self.mine.try_recv() {
            Ok(answered) => return Turn::Answered(answered),
            Err(oneshot::error::TryRecvError::Closed) => return Turn::Answered(Err(abandoned())),
            Err(oneshot::error::TryRecvError::Empty) => {}
        }
        let mut waiting = self.queue.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let most = waiting.len().min(Queue::<Q, A>::MOST);
        *turn = most;
        let (requests, answers) = waiting.drain(..most).unzip();
        Turn::Lead(Batch { requests, answers, _turn: turn })
    }
}

impl<Q, A> Batch<'_, Q, A> {
    /// Sends the answers, in the order of the requests.
    pub(in crate::store) fn answer(self, answers: impl IntoIterator<Item = Answer<A>>) {
        for (to, answer) in self.answers.into_iter().zip(answers) {
            // The task that asked may be gone.
            let _ = to.send(answer);
        }
    }
}

/// The task that wrote the request ended midway; it is unknown whether the request was stored.
fn abandoned() -> StoreError {
    StoreError::new(
        StoreErrorKind::Statement,
        "a transaction was abandoned by the task that wrote it",
        "please report this bug; what is not stored is retried when its lease expires",
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Sends a request; a leader answers each request with twice its number, and counts the batch.
    async fn send(queue: &Queue<u64, u64>, request: u64, batches: &AtomicUsize) -> u64 {
        let mut place = queue.join(request);
        loop {
            match place.wait_for_turn().await {
                Turn::Answered(answer) => return answer.unwrap(),
                Turn::Lead(batch) => {
                    batches.fetch_add(1, Ordering::SeqCst);
                    tokio::task::yield_now().await;
                    let answers: Vec<_> = batch.requests.iter().map(|n| Ok(n * 2)).collect();
                    batch.answer(answers);
                }
            }
        }
    }

    #[tokio::test]
    async fn each_request_gets_its_own_answer_and_waiting_ones_are_batched() {
        let (queue, batches) = (Arc::new(Queue::default()), Arc::new(AtomicUsize::new(0)));
        let tasks: Vec<_> = (0..500_u64)
            .map(|n| {
                let (queue, batches) = (Arc::clone(&queue), Arc::clone(&batches));
                tokio::spawn(async move { (n, send(&queue, n, &batches).await) })
            })
            .collect();
        for task in tasks {
            let (n, answered) = task.await.unwrap();
            assert_eq!(answered, n * 2);
        }
        assert!(batches.load(Ordering::SeqCst) <= 500 / 64 + 2, "{batches:?}");
    }

    #[tokio::test]
    async fn requests_in_the_batch_of_a_dead_task_get_an_error() {
        let queue = Arc::new(Queue::<u64, u64>::default());
        let mut first = queue.join(1);
        let Turn::Lead(batch) = first.wait_for_turn().await else { return assert_eq!("answered", "lead") };
        let mut second = queue.join(2);
        drop(batch);
        let mut own = Queue::join(&queue, 3);
        // The second leads now, and its own request is still queued.
        let Turn::Lead(batch) = second.wait_for_turn().await else { return assert_eq!("answered", "lead") };
        assert_eq!(batch.requests, [2, 3]);
        batch.answer([Ok(4), Ok(6)]);
        assert!(matches!(second.wait_for_turn().await, Turn::Answered(Ok(4))));
        assert!(matches!(own.wait_for_turn().await, Turn::Answered(Ok(6))));
        assert!(matches!(first.wait_for_turn().await, Turn::Answered(Err(_))));
    }
}
