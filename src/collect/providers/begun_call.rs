//! One call of a search, and whether it was begun: of many parallel calls, some still wait for their turn when the run
//! ends.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::collect::fetch::CallGate;
use crate::search::kinds::{CallTarget, Kind, SearchCall};
use crate::search::{Gate, Refusal, Request, Spent};

/// The gate of the search for one of its calls.
pub(super) struct BegunCall<'g> {
    pub(super) gate: &'g CallGate,
    target: CallTarget,
    is_begun: AtomicBool,
    kind: &'static dyn Kind,
    /// Calls of the same search that have failed so far.
    failed: &'g Mutex<Vec<SearchCall>>,
    was_held_up: AtomicBool,
}

impl<'g> BegunCall<'g> {
    pub(super) fn of(
        request: &Request,
        gate: &'g CallGate,
        kind: &'static dyn Kind,
        failed: &'g Mutex<Vec<SearchCall>>,
    ) -> Self {
        let target = (request.address.clone(), request.path.clone());
        Self { gate, target, is_begun: AtomicBool::new(false), kind, failed, was_held_up: AtomicBool::new(false) }
    }

    /// Whether another call showed that it must not be made. Then it is not made any more.
    pub(super) fn is_held_up(&self) -> bool {
        let is_held_up = self.failed.lock().is_ok_and(|failed| self.kind.is_held_up(&self.target, &failed));
        self.was_held_up.fetch_or(is_held_up, Ordering::Relaxed);
        is_held_up
    }

    /// Whether it was not made because another call showed that it must not be.
    pub(super) fn was_held_up(&self) -> bool {
        self.was_held_up.load(Ordering::Relaxed)
    }

    /// Returns the address and path of the call; `None` if it was never begun.
    pub(super) fn target(self) -> Option<CallTarget> {
        self.is_begun.into_inner().then_some(self.target)
    }
}

impl Gate for BegunCall<'_> {
    fn failed(&self, cost: Spent) {
        self.gate.failed(cost);
    }

    fn allows(&self) -> Result<(), Refusal> {
        self.gate.allows()
    }

    async fn before(&self, attempt: u32) -> Result<(), Refusal> {
        if attempt == 1 && self.is_held_up() {
            return Err(Refusal::new("another call showed that this one must wait"));
        }
        self.gate.before(attempt).await?;
        self.is_begun.store(true, Ordering::Relaxed);
        Ok(())
    }
}
