//! Why messages wait or are never sent: an alert that is silent, and channels that the configuration does not have.

use std::collections::{BTreeMap, BTreeSet};

use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::model::Time;
use crate::store::{Store, StoreError};

/// Why an alert sends nothing now.
pub(super) struct AlertSilence {
    /// When that ends; `None` if its messages are dropped.
    pub(super) until: Option<Time>,
    /// The alert, the reason, and what that means.
    pub(super) note: String,
}

/// Returns those of these alerts that send nothing now.
pub(super) async fn silent_alerts<'p>(
    store: &Store,
    alerts: BTreeSet<&'p str>,
    now: Time,
) -> Result<BTreeMap<&'p str, AlertSilence>, StoreError> {
    let mut silent = BTreeMap::new();
    for alert in alerts {
        let Some(card) = store.alert_card(alert, now).await? else { continue };
        let until = card.silent(now).filter(|_| !card.spec.paused);
        let why = match until {
            None if card.spec.paused => "is paused: its messages are dropped".to_owned(),
            None => continue,
            Some(until) => {
                let why = if card.snoozed(now).is_some() { "is snoozed" } else { "has quiet hours" };
                format!("{why}: its messages wait until {}", output::format_time(until))
            }
        };
        silent.insert(alert, AlertSilence { until, note: format!("alert {} {why}", output::truncate(alert, 64)) });
    }
    Ok(silent)
}

/// Returns those of these channels that the configuration does not have.
pub(super) fn unknown_channels<'p>(context: &Context, channels: impl Iterator<Item = &'p str>) -> BTreeSet<&'p str> {
    let is_configured = |channel: &str| context.config.channels.iter().any(|spec| spec.name == channel);
    channels.filter(|channel| !is_configured(channel)).collect()
}

/// Describes messages whose channel the configuration does not have.
pub(super) fn undeliverable(channel: &str) -> String {
    format!(
        "no channel {} in the configuration: its messages are not delivered (`topicwatch outbox drop` removes them)",
        output::truncate(channel, 64)
    )
}
