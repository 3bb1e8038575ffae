//! Examples for the verbs of alerts and of the outbox.

pub(in crate::cli) const ALERTS: &str = "\
Examples:
  topicwatch alerts
  topicwatch alerts test recalls            # does a message arrive?
  topicwatch alerts backtest recalls --days 30
  topicwatch alerts backtest recalls --events launches.csv
  topicwatch alerts ack recalls
  topicwatch alerts snooze recalls --for 8h

How to write one, and when it fires: docs/how-to/alerts.md.";
pub(in crate::cli) const OUTBOX: &str = "\
Examples:
  topicwatch outbox
  topicwatch outbox list --state dead
  topicwatch outbox show report:daily@2026-11-21T06:00:00Z/team
  topicwatch outbox retry --dead
  topicwatch outbox drop --dead         # they are never sent
  topicwatch outbox deliver             # now, without a daemon";
pub(in crate::cli) const ALERTS_LIST: &str = "\
Examples:
  topicwatch alerts list recalls --limit 5
  topicwatch alerts list --json | jq '.alerts[].name'";
pub(in crate::cli) const ALERTS_TEST: &str = "\
Examples:
  topicwatch alerts test recalls

Exits with 3 if a channel did not accept the message.";
pub(in crate::cli) const ALERTS_BACKTEST: &str = "\
Examples:
  topicwatch alerts backtest recalls --days 30
  topicwatch alerts backtest recalls --events launches.csv --json";
pub(in crate::cli) const ALERTS_ACK: &str = "\
Examples:
  topicwatch alerts ack recalls
  topicwatch alerts ack recalls --event EVENT   # from `alerts list --json`";
pub(in crate::cli) const ALERTS_SNOOZE: &str = "\
Examples:
  topicwatch alerts snooze recalls --for 8h
  topicwatch alerts snooze recalls --off";
pub(in crate::cli) const OUTBOX_LIST: &str = "\
Examples:
  topicwatch outbox list --state dead
  topicwatch outbox list --limit 100 --json";
pub(in crate::cli) const OUTBOX_SHOW: &str = "\
Examples:
  topicwatch outbox show report:daily@2026-11-21T06:00:00Z/team
  topicwatch outbox show report:daily@2026-11-21T06:00:00Z/team --json";
pub(in crate::cli) const OUTBOX_RETRY: &str = "\
Examples:
  topicwatch outbox retry report:daily@2026-11-21T06:00:00Z/team
  topicwatch outbox retry --dead";
pub(in crate::cli) const OUTBOX_DROP: &str = "\
Examples:
  topicwatch outbox drop report:daily@2026-11-21T06:00:00Z/team
  topicwatch outbox drop --dead         # they are never sent";
pub(in crate::cli) const OUTBOX_DELIVER: &str = "\
Examples:
  topicwatch outbox deliver
  topicwatch outbox deliver --json

Exits with 3 if a message did not arrive.";
