//! Delivers messages of the outbox to their channels. Each channel has its own task, so that one that hangs does not
//! delay the others. Each message is leased by one process at a time. A failed message is retried until it is dead.
//! Alerts that are paused, snoozed or in quiet hours send nothing. Uses the clock it is given.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{Channel, retry_delay};
use crate::model::{Clock, JobKind, Time, alert_of};
use crate::store::{Outgoing, SendResult, Store, StoreError, StoreErrorKind};

/// Longest time between two checks of a channel's part of the outbox; they find what another process queued.
const LOOK: Duration = Duration::from_secs(5);

/// How long a message stays leased after the time limit of its try.
const BEYOND: Duration = Duration::from_secs(30);

/// How long a message of a paused alert is put off at a time; the next evaluation of the alert drops it.
const PAUSED: Duration = Duration::from_secs(60);

/// How long the bodies of a sent message are kept.
const RETENTION: Duration = Duration::from_secs(30 * 24 * 3_600);

/// Time between two removals of older bodies.
const EMPTYING: Duration = Duration::from_secs(3_600);

/// A try and its outcome.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// The event of the message.
    pub event: String,
    pub channel: String,
    /// The number of the try.
    pub attempt: i64,
    pub settled: SendResult,
}

/// Delivers due messages.
#[derive(Clone)]
pub struct DeliveryWorker {
    store: Store,
    clock: Clock,
    token: Arc<dyn Fn() -> String + Send + Sync>,
    wake: Arc<Notify>,
    on_attempt: Arc<dyn Fn(&Delivery) + Send + Sync>,
}

impl DeliveryWorker {
    /// For a store. `on_attempt` is called after every try.
    #[must_use]
    pub fn new(
        store: Store,
        clock: Clock,
        token: Arc<dyn Fn() -> String + Send + Sync>,
        on_attempt: Arc<dyn Fn(&Delivery) + Send + Sync>,
    ) -> Self {
        Self { store, clock, token, wake: Arc::default(), on_attempt }
    }

    /// Wakes the tasks after something was queued.
    pub fn wake(&self) {
        self.wake.notify_waiters();
    }

    /// Delivers until `stop` is cancelled. Changed channels apply from then on; a try under way ends as it began.
    pub async fn run(&self, mut channels: watch::Receiver<Arc<[Channel]>>, stop: CancellationToken) {
        let mut tasks = JoinSet::new();
        let (worker, stopped) = (self.clone(), stop.clone());
        tasks.spawn(async move {
            while !stopped.is_cancelled() {
                worker.drop_old_bodies().await;
                tokio::select! {
                    () = stopped.cancelled() => {}
                    () = tokio::time::sleep(EMPTYING) => {}
                }
            }
        });
        while !stop.is_cancelled() {
            let round_stop = stop.child_token();
            for channel in channels.borrow_and_update().iter() {
                let (worker, round_stop, channel) = (self.clone(), round_stop.clone(), channel.clone());
                tasks.spawn(async move { worker.serve_channel(&channel, &round_stop).await });
            }
            let changed = tokio::select! {
                changed = channels.changed() => changed.is_ok(),
                () = stop.cancelled() => true,
            };
            if !changed {
                // Nobody can change the channels any more.
                stop.cancelled().await;
            }
            round_stop.cancel();
        }
        // Waits for tries under way; each has its time limit.
        while tasks.join_next().await.is_some() {}
    }

    async fn serve_channel(&self, channel: &Channel, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            let sleep = match self.deliver_next(channel, (self.clock)()).await {
                Ok(tries) if !tries.is_empty() => continue,
                Ok(_) => match self.store.next_message(&channel.name).await {
                    Ok(next) => next.map_or(LOOK, |at| at.since((self.clock)())).clamp(Duration::from_millis(50), LOOK),
                    Err(_) => LOOK,
                },
                Err(error) => {
                    tracing::warn!(channel = channel.name, "cannot process the outbox: {error}");
                    LOOK
                }
            };
            tokio::select! {
                () = stop.cancelled() => {}
                () = self.wake.notified() => {}
                () = tokio::time::sleep(sleep) => {}
            }
        }
    }

    /// Drops the bodies of messages that were sent long ago. A failure is logged, and the next call tries again.
    async fn drop_old_bodies(&self) {
        let before = (self.clock)().minus(RETENTION);
        if let Err(error) = self.store.empty_sent_messages(before).await {
            tracing::warn!("cannot empty old messages: {error}");
        }
    }

    /// Delivers what is due now, all channels in parallel. Returns every try. What becomes due meanwhile waits for
    /// the next call; otherwise a channel that hangs would be retried for as long as it hangs.
    ///
    /// # Errors
    /// If the outbox cannot be read or written.
    pub async fn deliver_due(&self, channels: &[Channel]) -> Result<Vec<Delivery>, StoreError> {
        self.deliver_due_until(channels, &CancellationToken::new()).await
    }

    /// Like [`DeliveryWorker::deliver_due`], but begins no try after `stop` was cancelled. Those under way end as usual.
    ///
    /// # Errors
    /// If the outbox cannot be read or written.
    pub async fn deliver_due_until(
        &self,
        channels: &[Channel],
        stop: &CancellationToken,
    ) -> Result<Vec<Delivery>, StoreError> {
        let (mut tasks, due) = (JoinSet::new(), (self.clock)());
        for channel in channels {
            let (worker, channel, stop) = (self.clone(), channel.clone(), stop.clone());
            tasks.spawn(async move {
                let mut tries = Vec::new();
                while !stop.is_cancelled() {
                    let more = worker.deliver_next(&channel, due).await?;
                    if more.is_empty() {
                        break;
                    }
                    tries.extend(more);
                }
                Ok::<_, StoreError>(tries)
            });
        }
        let (mut tries, mut failed) = (Vec::new(), None);
        while let Some(ended) = tasks.join_next().await {
            match ended {
                Ok(Ok(more)) => tries.extend(more),
                Ok(Err(error)) => failed = Some(error),
                Err(panic) => tracing::error!("a delivery crashed, please report this bug: {panic}"),
            }
        }
        self.drop_old_bodies().await;
        tries.sort_by(|a, b| (&a.channel, &a.event, a.attempt).cmp(&(&b.channel, &b.event, b.attempt)));
        failed.map_or(Ok(tries), Err)
    }

    /// Claims the next message that was due at `due` and may be sent now. Messages of alerts that are snoozed or in
    /// quiet hours are due again at the end of them, those of paused alerts a little later. Messages whose last try was
    /// lost with its process are added to `tries` as dead.
    async fn claim_next(
        &self,
        channel: &Channel,
        due: Time,
        tries: &mut Vec<Delivery>,
    ) -> Result<Option<Outgoing>, StoreError> {
        loop {
            let now = (self.clock)();
            // Counted from now, however long ago `due` is.
            let lease = now.since(due) + channel.timeout + BEYOND;
            let token = (self.token)();
            let claimed = self.store.claim_message(&channel.name, due, lease, channel.max_tries, &token).await?;
            let lost = claimed.given_up.into_iter().map(|lost| Delivery {
                event: lost.event,
                channel: channel.name.clone(),
                attempt: lost.attempt,
                settled: SendResult::Dead(lost.error),
            });
            tries.extend(lost.inspect(|delivery| (self.on_attempt)(delivery)));
            let Some(out) = claimed.message else { return Ok(None) };
            // Not before `due`, even if the clock was set back meanwhile: the message would be claimed again at once.
            match self.silent_until(&out, now.max(due)).await? {
                Some(until) => self.store.postpone_message(&out, until).await?,
                None => return Ok(Some(out)),
            }
        }
    }

    /// Until when the alert of a message sends nothing, although it queued the message when it could be sent.
    async fn silent_until(&self, out: &Outgoing, now: Time) -> Result<Option<Time>, StoreError> {
        let alert = out.origin.as_deref().filter(|_| out.message.kind == JobKind::Alert.as_str()).and_then(alert_of);
        let Some(alert) = alert else { return Ok(None) };
        let Some(card) = self.store.alert_card(alert, now).await? else { return Ok(None) };
        Ok(if card.spec.paused { Some(now.plus(PAUSED)) } else { card.silent(now) })
    }

    /// Makes one try of one message, if one was due at `due`. Messages whose last try was lost with its process come
    /// first in the result, as dead.
    async fn deliver_next(&self, channel: &Channel, due: Time) -> Result<Vec<Delivery>, StoreError> {
        let mut tries = Vec::new();
        let Some(out) = self.claim_next(channel, due, &mut tries).await? else { return Ok(tries) };
        let now = (self.clock)();
        crate::failpoint::at_of("courier/claimed", &channel.name);
        let sent = channel.send(&out.message, out.created_at, out.attempt, now).await;
        crate::failpoint::at_of("courier/sent", &channel.name);
        let wait = sent.as_ref().err().and_then(|refusal| refusal.wait);
        let settled = self.outcome(channel, &out, sent);
        match self.store.settle_message(&out, &settled, (self.clock)()).await {
            Ok(()) => {}
            // The try took longer than its lease, and another process has the message: it is delivered twice, with
            // the same event.
            Err(error) if error.kind == StoreErrorKind::Fenced => {
                tracing::warn!(event = out.message.event, "taken over by another process");
            }
            Err(error) => return Err(error),
        }
        // The receiver asked for this pause for the whole channel, not for one message.
        if let Some(wait) = wait
            && let Err(error) = self.store.pause_channel(&channel.name, (self.clock)().plus(wait)).await
        {
            tracing::warn!(channel = channel.name, "cannot store the pause that the receiver requested: {error}");
        }
        let delivery =
            Delivery { event: out.message.event, channel: channel.name.clone(), attempt: out.attempt, settled };
        (self.on_attempt)(&delivery);
        tries.push(delivery);
        Ok(tries)
    }

    fn outcome(&self, channel: &Channel, out: &Outgoing, sent: Result<(), super::DeliveryError>) -> SendResult {
        let Err(refusal) = sent else { return SendResult::Sent };
        if refusal.for_good || out.attempt >= i64::from(channel.max_tries) {
            return SendResult::Dead(refusal.text);
        }
        let pause = retry_delay(out.attempt, &out.message.event).max(refusal.wait.unwrap_or_default());
        SendResult::Again((self.clock)().plus(pause), refusal.text)
    }
}
