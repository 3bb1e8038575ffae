//! The outbox: what is to be delivered, each message to one channel by one process at a time, until it is sent or dead.
//! How long to wait between tries, and what a refusal means, is `notify`'s to say.

use std::time::Duration;

use crate::model::{OutboxState, Posted, Time, Undelivered};
use crate::store::{Claimed, Outgoing, Settled, Store, StoreError};

impl Store {
    /// Takes the next message of a channel that is due, for `lease`. One whose process died under it counts as tried: it
    /// is due again, or dead after `most` tries, which is told beside.
    pub async fn claim_message(
        &self,
        channel: &str,
        now: Time,
        lease: Duration,
        most: u32,
        token: &str,
    ) -> Result<Claimed, StoreError> {
        if read!(self, outbox::next(channel))?.is_none_or(|at| at > now) {
            return Ok(Claimed::default());
        }
        write_tx!(self, outbox::claim(channel, now, lease, most, token))
    }

    /// When the next message of a channel is due, or the one in some process's hands is to be taken from it.
    pub async fn next_message(&self, channel: &str) -> Result<Option<Time>, StoreError> {
        read!(self, outbox::next(channel))
    }

    /// Records what became of a try. When it was the last of a report, the report is delivered and its cursor moves.
    /// Fails with `Fenced` when another process has taken the message over.
    pub async fn settle_message(&self, out: &Outgoing, settled: &Settled, now: Time) -> Result<(), StoreError> {
        write_tx!(self, outbox::settle(out, settled, now))
    }

    /// Leaves a channel alone until an instant, or until something is delivered there or a try is asked for.
    pub async fn hold_channel(&self, channel: &str, until: Time) -> Result<(), StoreError> {
        write_tx!(self, outbox::hold_channel(channel, until))
    }

    /// The latest messages first, without their bodies.
    pub async fn outbox(&self, state: Option<OutboxState>, limit: u32) -> Result<Vec<Posted>, StoreError> {
        read!(self, messages::list(state, limit))
    }

    /// How many messages there are of each state.
    pub async fn outbox_counts(&self) -> Result<Vec<(OutboxState, i64)>, StoreError> {
        read!(self, messages::counts())
    }

    /// How many messages nobody has got although it was tried, or because nobody tries: those of channels that are not
    /// among the known ones, if these are told.
    pub async fn undelivered(&self, known: Option<&[String]>) -> Result<Undelivered, StoreError> {
        read!(self, messages::undelivered(known))
    }

    /// Drops the bodies of some messages that were sent before this, the oldest first. Returns of how many.
    pub async fn empty_sent_messages(&self, before: Time) -> Result<u64, StoreError> {
        write_tx!(self, messages::empty_sent(before))
    }

    /// One message, whole.
    pub async fn outbox_message(&self, event: &str) -> Result<Option<Posted>, StoreError> {
        read!(self, messages::message(event))
    }

    /// Queues these messages again, or all that are dead, with all their tries before them. Those in a process's hands
    /// stay there, and so do those sent so long ago that their bodies were dropped. Returns how many.
    pub async fn retry_messages(&self, events: Option<&[String]>, now: Time) -> Result<u64, StoreError> {
        asked_tx!(self, messages::retry(events, now))
    }
    /// Takes these messages out of the outbox, or all that are dead, so that nobody gets them. Those that were sent, or are
    /// in a process's hands, stay. No cursor moves by it. Returns which, by event.
    pub async fn drop_messages(&self, events: Option<&[String]>, now: Time) -> Result<Vec<String>, StoreError> {
        asked_tx!(self, messages::put_away(events, now))
    }
}
