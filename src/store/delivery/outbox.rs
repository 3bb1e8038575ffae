//! The outbox: messages to be delivered, each to one channel and by one process at a time, until it is sent or dead.
//! `notify` decides how long to wait between tries and what a refusal means.

use std::time::Duration;

use crate::model::{Message, OutboxEntry, OutboxState, Time, Undelivered};
use crate::store::{ClaimedMessage, Outgoing, SendResult, Store, StoreError, WaitingMessages};

impl Store {
    /// Claims the next due message of a channel for `lease`. If a process died while it held a message, that counts as
    /// a try: the message is due again, or dead after `most` tries, which is reported too. A message that was put off
    /// by a clock that was ahead is due.
    pub async fn claim_message(
        &self,
        channel: &str,
        now: Time,
        lease: Duration,
        most: u32,
        token: &str,
    ) -> Result<ClaimedMessage, StoreError> {
        let next = read!(self, outbox::next(channel))?;
        let is_due = match next {
            None => false,
            Some(at) if at <= now => true,
            Some(at) if at <= now.believed_until(Message::LONGEST_WAIT) => false,
            // It may wait for the end of a snooze.
            Some(_) => read!(self, outbox::is_put_off(channel, now))?,
        };
        if !is_due {
            return Ok(ClaimedMessage::default());
        }
        write_tx!(self, outbox::claim(channel, now, lease, most, token))
    }

    /// Returns when the next message of a channel is due, or when the lease of one that is being sent runs out.
    pub async fn next_message(&self, channel: &str) -> Result<Option<Time>, StoreError> {
        read!(self, outbox::next(channel))
    }

    /// Records the result of a try. If it was the last message of a report, the report is delivered and its cursor
    /// moves. Fails with `Fenced` if another process has taken the message over.
    pub async fn settle_message(&self, out: &Outgoing, settled: &SendResult, now: Time) -> Result<(), StoreError> {
        write_tx!(self, outbox::settle(out, settled, now))
    }

    /// Gives a claimed message back until an instant. This does not count as a try.
    pub async fn postpone_message(&self, out: &Outgoing, until: Time) -> Result<(), StoreError> {
        write_tx!(self, outbox::postpone(out, until))
    }

    /// Sends nothing to a channel until an instant, or until a delivery there succeeds or somebody asks for a retry.
    pub async fn pause_channel(&self, channel: &str, until: Time) -> Result<(), StoreError> {
        write_tx!(self, outbox::hold_channel(channel, until))
    }

    /// Returns until when a channel wants no messages, even if that has passed.
    pub async fn channel_pause(&self, channel: &str) -> Result<Option<Time>, StoreError> {
        Ok(read!(self, outbox::held_until(channel))?.map(Time))
    }

    /// Returns the latest messages first, without their bodies.
    pub async fn outbox(&self, state: Option<OutboxState>, limit: u32) -> Result<Vec<OutboxEntry>, StoreError> {
        read!(self, messages::list(state, limit))
    }

    /// Returns the number of messages in each state.
    pub async fn outbox_counts(&self) -> Result<Vec<(OutboxState, i64)>, StoreError> {
        read!(self, messages::counts())
    }

    /// Counts messages that were not delivered: dead ones, those waiting after a failed try, and those of channels not
    /// in `known`. With `None`, all channels count as known.
    pub async fn undelivered(&self, known: Option<&[String]>) -> Result<Undelivered, StoreError> {
        read!(self, messages::undelivered(known))
    }

    /// Returns the messages that are queued or being sent, counted by channel and origin.
    pub async fn waiting_messages(&self) -> Result<Vec<WaitingMessages>, StoreError> {
        read!(self, messages::waiting())
    }

    /// Deletes the bodies of some messages that were sent before an instant, the oldest first. Returns how many.
    pub async fn empty_sent_messages(&self, before: Time) -> Result<u64, StoreError> {
        write_tx!(self, messages::empty_sent(before))
    }

    /// Returns one message with its body.
    pub async fn outbox_message(&self, event: &str) -> Result<Option<OutboxEntry>, StoreError> {
        read!(self, messages::message(event))
    }

    /// Queues these messages again, or all dead ones, with all their tries anew. Skips messages being sent, and those
    /// whose bodies were deleted. Returns how many.
    pub async fn retry_messages(&self, events: Option<&[String]>, now: Time) -> Result<u64, StoreError> {
        asked_tx!(self, messages::retry(events, now))
    }
    /// Deletes these messages from the outbox, or all dead ones, so that they are never sent. Skips messages that were
    /// sent or are being sent. Moves no cursor. Returns the deleted ones, by event.
    pub async fn drop_messages(&self, events: Option<&[String]>, now: Time) -> Result<Vec<String>, StoreError> {
        asked_tx!(self, messages::delete(events, now))
    }
}
