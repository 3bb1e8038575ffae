//! One call of a search, and whether it was begun: with many calls side by side, some still wait for their turn when the
//! run ends.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::collect::fetch::CallGate;
use crate::search::kinds::CallTarget;
use crate::search::{Gate, Refusal, Request, Spent};

/// The gate of the search for one of its calls.
pub(super) struct BegunCall<'g> {
    pub(super) gate: &'g CallGate,
    target: CallTarget,
    is_begun: AtomicBool,
}

impl<'g> BegunCall<'g> {
    pub(super) fn of(request: &Request, gate: &'g CallGate) -> Self {
        let target = (request.address.clone(), request.path.clone());
        Self { gate, target, is_begun: AtomicBool::new(false) }
    }

    /// Returns what was called; `None` if the call was never begun.
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
        self.gate.before(attempt).await?;
        self.is_begun.store(true, Ordering::Relaxed);
        Ok(())
    }
}
