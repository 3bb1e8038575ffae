//! Tries out an alert for a dashboard page: what it would report about the latest runs. Nothing is stored or sent. For
//! a longer period see `alerts backtest`.

use std::time::Duration;

use crate::alert;
use crate::config::Config;
use crate::model::{AlertRule, Time};
use crate::store::Store;
use crate::web::{AlertTrial, Diagnostic, TRIAL_RUNS};

/// How far back a trial goes.
const BACK: Duration = Duration::from_secs(7 * 86_400);

pub(super) async fn try_alert(config: &Config, store: &Store, name: &str, now: Time) -> Result<AlertTrial, Diagnostic> {
    let gone =
        || Diagnostic::without_line(format!("there is no alert `{name}` in the file"), "reload the list of alerts");
    let spec = config.alerts.iter().find(|alert| alert.name == name).ok_or_else(gone)?;
    let since = now.minus(BACK);
    let trial = alert::trial(store, spec, since, TRIAL_RUNS, now).await;
    let alert::Trial { runs, cut, firing, events } =
        trial.map_err(|error| Diagnostic::without_line(error.text, error.hint))?;
    let (name, channels) = (spec.name.clone(), spec.channels.clone());
    let not_backtested = (spec.rule == AlertRule::Budget).then_some(alert::NO_BUDGET_BACKTEST);
    Ok(AlertTrial { name, runs, since, cut, firing, not_backtested, events, channels, paused: spec.paused })
}
