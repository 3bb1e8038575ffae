//! Pings: their URLs with secrets, and the pings when a run starts and ends. `notify` sends them.

use std::sync::Arc;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use tokio_util::sync::CancellationToken;

use crate::cli::terminal::failure::Failure;
use crate::cli::wiring::environment::env;
use crate::collect::{Done, RunReport};
use crate::config::{self, Config, KeyError};
use crate::daemon::JobDone;
use crate::model::{PingSpec, RunState, SecretSource};
use crate::notify::{PingTarget, PingTargets, Pinger, Signal};
use crate::process_status::PingCounts;
use crate::store::StoreErrorKind;

/// How long shutdown waits for pings in progress.
const ENDS_WITHIN: Duration = Duration::from_secs(6);

/// Returns all addresses, or the error of the first that cannot be used.
pub(in crate::cli) fn targets(config: &Config) -> Result<PingTargets, Failure> {
    let of = |spec: &PingSpec| {
        let target = one(spec).map_err(|e| Failure::usage(format!("ping of {}: {}", spec.job, e.message), e.hint))?;
        Ok((spec.job.clone(), target))
    };
    config.pings.iter().map(of).collect()
}

/// Returns one address, or why it cannot be used.
pub(in crate::cli) fn one(spec: &PingSpec) -> Result<PingTarget, KeyError> {
    let address = match (&spec.url, &spec.url_variable) {
        (Some(url), _) => SecretString::from(url.clone()),
        (None, variable) => {
            let place = SecretSource { variable: variable.clone(), file: None };
            config::read_secret("address", &place, &env)?
        }
    };
    let url = spec.with_job_name(address.expose_secret());
    let good = url::Url::parse(&url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    if !good {
        let variable = spec.url_variable.as_deref().unwrap_or("ping");
        return Err(KeyError {
            message: format!("{variable} does not contain the URL of a web server"),
            hint: "put the full URL there: https://…".to_owned(),
        });
    }
    Ok(PingTarget { url: SecretString::from(url), allow_private: spec.allow_private })
}

/// Returns the settings of the pings that a reload would change, secrets included, as bytes for hashing only.
pub(in crate::cli) fn fingerprint(config: &Config) -> Vec<u8> {
    let mut all = Vec::new();
    for spec in &config.pings {
        all.extend(format!("\n{} {} ", spec.job, spec.allow_private).bytes());
        match one(spec) {
            Ok(target) => all.extend(target.url.expose_secret().bytes()),
            Err(why) => all.extend(why.message.bytes()),
        }
    }
    all
}

/// Pings of a process, from its start to its end.
pub(in crate::cli) struct PingTask {
    pub(in crate::cli) pinger: Pinger,
    stop: CancellationToken,
    task: tokio::task::JoinHandle<()>,
}

impl PingTask {
    pub(in crate::cli) fn begin(targets: PingTargets, pinged: Arc<PingCounts>) -> Self {
        let (pinger, stop) = (Pinger::new(targets, pinged), CancellationToken::new());
        let task = tokio::spawn({
            let (pinger, stop) = (pinger.clone(), stop.clone());
            async move { pinger.run(stop).await }
        });
        Self { pinger, stop, task }
    }

    /// Sends the waiting pings that are accepted in time.
    pub(in crate::cli) async fn end(self) {
        self.stop.cancel();
        if tokio::time::timeout(ENDS_WITHIN, self.task).await.is_err() {
            tracing::warn!("some pings were not accepted in time and were dropped");
        }
    }
}

/// Reports that a run of a topic started.
pub(in crate::cli) fn topic_started(pinger: &Pinger, topic: &str) {
    pinger.begin(&format!("topic:{topic}"));
}

/// Reports that a run of a topic ended: how much it found, but not what.
pub(in crate::cli) fn topic_ended(pinger: &Pinger, done: &Done) {
    let outcome = match &done.result {
        // A queued run is reported when it runs again; a cancelled one is not reported.
        Ok(report) if matches!(report.state, RunState::Queued | RunState::Cancelled) => None,
        Ok(report) => {
            let good = matches!(report.state, RunState::Ok | RunState::Partial);
            Some((if good { Signal::Success } else { Signal::Fail }, message(report)))
        }
        // Another process took the run over and reports it.
        Err(error) if error.kind == StoreErrorKind::Fenced => None,
        Err(_) => Some((Signal::Fail, "failed: nothing could be stored".to_owned())),
    };
    pinger.end(&format!("topic:{}", done.topic), outcome);
}

fn message(report: &RunReport) -> String {
    let (found, new) = report.searches.iter().fold((0, 0), |(f, n), s| (f + s.counts.found, n + s.counts.new));
    let searches: Vec<String> = report.searches.iter().map(|s| format!("{} {}", s.source, s.state)).collect();
    format!("{}: {found} found, {new} new; {}", report.state, searches.join(", "))
}

/// Reports that a run of another job started.
pub(in crate::cli) fn job_started(pinger: &Pinger, job: &str) {
    pinger.begin(job);
}

/// Reports that a run of another job ended.
pub(in crate::cli) fn job_ended(pinger: &Pinger, done: &JobDone) {
    let outcome = match &done.result {
        Ok(Ok(_)) => Some((Signal::Success, "ok".to_owned())),
        Ok(Err(failed)) => Some((Signal::Fail, format!("failed: {}", failed.class))),
        Err(error) if error.kind == StoreErrorKind::Fenced => None,
        Err(_) => Some((Signal::Fail, "failed: the result could not be recorded".to_owned())),
    };
    pinger.end(&done.job, outcome);
}
