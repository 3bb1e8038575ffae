//! Jobs other than topics (reports, exports, alerts, prune): their list, their handler, and who delivers the results.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::cli::maintain::prune;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::wiring::{ids, pings, protected_files};
use crate::config::{Config, RetentionConfig};
use crate::daemon::{Failed, Handler, JobDone, JobResult, Jobs};
use crate::draw::format::count_noun;
use crate::export::{self, ScheduledExportError};
use crate::files::{self, Protected};
use crate::model::{ChannelKind, Clock, Job, JobKind, Message, ReportFormat, ReportSpec, ReportWindow};
use crate::notify::{Channel, Delivery, DeliveryWorker, PingTargets, Pinger};
use crate::report::{self, Report};
use crate::schedule::Schedule;
use crate::store::{JobRun, ReportRecord, SendResult, Store};

/// The most bytes of a message's page or data, and of its text. A longer page is left out, a longer text is cut.
const LONGEST_PAGE: usize = 2 * 1024 * 1024;
const LONGEST_TEXT: usize = 512 * 1024;

/// Why a report since the last one is not made.
const COVERED_LATER: &str = "the report of a later slot, which is due too, covers this time";

/// Returns the configured jobs: reports with a schedule, exports, alerts and prune.
pub(in crate::cli) fn of(config: &Config) -> Result<Vec<Job>, Failure> {
    let unwritable = |name: &str, e: serde_json::Error| Failure::new(Exit::Unexpected, format!("{name}: {e}"), "");
    let reports = config.reports.iter().filter(|report| report.schedule.is_some());
    let reports = reports.map(|report| Job::of_report(report).map_err(|e| unwritable(&report.name, e)));
    let exports = config.exports.iter().map(|export| export.job().map_err(|e| unwritable(&export.name, e)));
    let alerts = config.alerts.iter().map(|alert| Job::of_alert(alert).map_err(|e| unwritable(&alert.name, e)));
    let RetentionConfig { kept, schedule } = &config.retention;
    let prune = schedule.iter();
    let prune = prune.map(|schedule| Job::of_prune(*kept, schedule.clone()).map_err(|e| unwritable("prune", e)));
    reports.chain(exports).chain(alerts).chain(prune).collect()
}

/// The kind of each channel, by name: a mail needs a page, a webhook needs data.
type Kinds = Arc<[(String, ChannelKind)]>;

fn kinds(config: &Config) -> Kinds {
    config.channels.iter().map(|channel| (channel.name.clone(), channel.kind())).collect()
}

/// Returns the function that runs jobs.
pub(in crate::cli) fn handler(config: &Config, store: &Store, clock: &Clock, pinger: &Pinger) -> Handler {
    let (store, clock, kinds, pinger) = (store.clone(), Arc::clone(clock), kinds(config), pinger.clone());
    let protected = Arc::new(protected_files::of(config, store.file()));
    Arc::new(move |run| {
        let (store, clock, kinds, protected) =
            (store.clone(), Arc::clone(&clock), Arc::clone(&kinds), Arc::clone(&protected));
        pings::job_started(&pinger, &run.job.id);
        Box::pin(async move {
            match run.job.kind {
                JobKind::Report => make_report(&run, &store, &clock, &kinds, &protected).await,
                JobKind::Export => make_export(&run, &store, &clock, &protected).await,
                // Has no schedule, so no run of it can be claimed.
                JobKind::Alert => {
                    Err(failed("definition", "an alert is not a job that runs".to_owned(), "please report it"))
                }
                JobKind::Prune => prune::job(&run, &store, clock()).await,
            }
        })
    })
}

async fn make_report(
    run: &JobRun,
    store: &Store,
    clock: &Clock,
    kinds: &Kinds,
    protected: &Protected,
) -> Result<JobResult, Failed> {
    let defect =
        |e: serde_json::Error| failed("definition", e.to_string(), "is this the latest version of topicwatch?");
    let spec = run.job.report().map_err(defect)?;
    // Include runs that ended a moment ago.
    store.publish().await?;
    let now = clock();
    // After an outage, several reports until now would contain the same, or replace the one before by an empty one.
    if spec.window == ReportWindow::SinceLast && store.later_slot_is_due(run, now).await? {
        return Ok(JobResult { reason: Some(COVERED_LATER.to_owned()), ..JobResult::default() });
    }
    let at = match spec.window {
        ReportWindow::Day | ReportWindow::Week | ReportWindow::Month => run.slot.unwrap_or(now),
        ReportWindow::SinceLast => now,
    };
    let last = store.cursor(&run.job.id).await?;
    let date = run.slot.and_then(|slot| Schedule::compile(run.job.schedule.as_ref()?).ok()?.date_of(slot));
    let skipped = run.slot.zip(date).and_then(|(slot, date)| report::span_before_skipped(&spec, slot, date));
    let span = skipped.unwrap_or_else(|| report::report_span(&spec, at, last.map(|cursor| cursor.at)));
    let topics = store.definitions().await?;
    let report = report::make(store, &spec, &topics, span, last.map(|cursor| cursor.seq), now, false).await?;
    // A process that lost the run may have read data that was erased since: it must not replace the newer file.
    store.check_held(run).await?;
    let files = write_files(&spec, &report, protected)?;
    let (messages, file_count) = (messages(run.public_id(), &spec, &report, kinds), files.len());
    let record = ReportRecord { from: span.from, until: span.until, seq: report.seq, subject: report.subject(), files };
    Ok(JobResult { report: Some(record), files: file_count, messages, reason: None })
}

/// Makes the editions of an export. They are recorded one by one, so the result only summarises them.
async fn make_export(run: &JobRun, store: &Store, clock: &Clock, protected: &Protected) -> Result<JobResult, Failed> {
    store.publish().await?;
    let outcome = export::run_export(store, run, clock(), protected).await.map_err(|error| match error {
        ScheduledExportError::Store(error) => error.into(),
        ScheduledExportError::File { path, error } => {
            let hint = "is there room, and may this user write there? an existing file was not changed, and the next run tries again";
            unwritten(&path, &error, hint)
        }
        ScheduledExportError::Definition(_) => failed("definition", error.to_string(), "is this the latest version of topicwatch?"),
    })?;
    let files = match outcome.files.as_slice() {
        [] => "nothing was new".to_owned(),
        [file] => format!("{} in {file}", count_noun(outcome.rows, "row")),
        files => format!("{} in {} files", count_noun(outcome.rows, "row"), files.len()),
    };
    let old = (outcome.removed > 0).then(|| format!("; {} removed", count_noun(outcome.removed, "old file")));
    Ok(JobResult { files: outcome.files.len(), reason: Some(files + &old.unwrap_or_default()), ..Default::default() })
}

/// Replaces the report's files, each as a whole.
fn write_files(spec: &ReportSpec, report: &Report, protected: &Protected) -> Result<Vec<String>, Failed> {
    let mut written = Vec::new();
    for (format, path) in report::paths(spec, &report.span) {
        let text = match format {
            ReportFormat::Html => report.html(),
            ReportFormat::Markdown => report.markdown(),
        };
        files::replace_file(&path, text.as_bytes(), protected).map_err(|error| {
            let hint = "is there room, and may this user write there? an existing file was not changed";
            unwritten(&path, &error, hint)
        })?;
        written.push(path.display().to_string());
    }
    Ok(written)
}

fn messages(run: &str, spec: &ReportSpec, report: &Report, kinds: &Kinds) -> Vec<Message> {
    let (mut text, page) = (report.markdown(), report.mail());
    if let Some((cut, _)) = text.char_indices().find(|(at, _)| *at >= LONGEST_TEXT) {
        text.truncate(cut);
        text.push_str("\n\n(shortened: the full text is in the report's file)\n");
    }
    let data = serde_json::to_string(report).ok().filter(|data| data.len() <= LONGEST_PAGE);
    let page = Some(page).filter(|page| page.len() <= LONGEST_PAGE);
    let message_for = |channel: &String| {
        // Another process may know the channel's kind, so an unknown one gets both forms.
        let kind = kinds.iter().find(|(name, _)| name == channel).map(|(_, kind)| *kind);
        Message {
            event: format!("{run}/{channel}"),
            channel: channel.clone(),
            kind: JobKind::Report.as_str().to_owned(),
            subject: report.subject(),
            text: text.clone(),
            html: page.clone().filter(|_| kind.is_none_or(|kind| kind == ChannelKind::Email)),
            data: data.clone().filter(|_| kind.is_none_or(|kind| kind == ChannelKind::Webhook)),
        }
    };
    spec.channels.iter().map(message_for).collect()
}

/// Returns the failure of a job whose file could not, or must not, be written.
fn unwritten(file: &Path, error: &std::io::Error, hint: &str) -> Failed {
    let Failure { exit, text, hint: of_kind, .. } = Failure::unwritable(file, error);
    let hint = match error.kind() {
        _ if exit == Exit::Usage => "set another `path` in the configuration",
        ErrorKind::InvalidInput | ErrorKind::IsADirectory => "set another `path` in the configuration",
        ErrorKind::NotADirectory => of_kind.as_str(),
        ErrorKind::FileTooLarge if error.raw_os_error().is_none() => of_kind.as_str(),
        _ => hint,
    };
    failed("output", text, hint)
}

fn failed(class: &str, text: String, hint: &str) -> Failed {
    Failed { class: class.to_owned(), text, hint: hint.to_owned() }
}

/// Returns a delivery worker that logs each attempt.
pub(in crate::cli) fn delivery_worker(store: &Store, clock: &Clock) -> DeliveryWorker {
    DeliveryWorker::new(store.clone(), Arc::clone(clock), Arc::new(ids::token), Arc::new(log_delivery))
}

/// Jobs and deliveries of a long-running process.
pub(in crate::cli) struct DeliveryTask {
    pub(in crate::cli) jobs: Jobs,
    channels: watch::Sender<Arc<[Channel]>>,
    store: Store,
    clock: Clock,
    courier: DeliveryWorker,
    pinger: Pinger,
    task: tokio::task::JoinHandle<()>,
}

impl DeliveryTask {
    /// Starts to deliver. The loop starts the jobs.
    pub(in crate::cli) fn begin(
        config: &Config,
        channels: Arc<[Channel]>,
        store: &Store,
        clock: &Clock,
        pinger: &Pinger,
        stop: CancellationToken,
    ) -> Self {
        let courier = delivery_worker(store, clock);
        let (channels, receiver) = watch::channel(channels);
        let (wake, serving, job_pinger) = (courier.clone(), courier.clone(), pinger.clone());
        let task = tokio::spawn(async move { serving.run(receiver, stop).await });
        let on_done = Arc::new(move |done: JobDone| {
            log_job(&done);
            pings::job_ended(&job_pinger, &done);
            wake.wake();
        });
        let jobs = Jobs::new(store.clone(), Arc::clone(clock), handler(config, store, clock, pinger), on_done);
        let (store, clock, pinger) = (store.clone(), Arc::clone(clock), pinger.clone());
        Self { jobs, channels, store, clock, courier, pinger, task }
    }

    /// Returns a handle that wakes the delivery worker.
    pub(in crate::cli) fn waker(&self) -> DeliveryWorker {
        self.courier.clone()
    }

    /// Returns a handle that replaces jobs and channels when the configuration changes.
    pub(in crate::cli) fn replacer(&self) -> Replacer {
        Replacer {
            jobs: self.jobs.clone(),
            channels: self.channels.clone(),
            store: self.store.clone(),
            clock: Arc::clone(&self.clock),
            pinger: self.pinger.clone(),
        }
    }

    /// Waits a moment for attempts in progress. The next process retries unsettled messages.
    pub(in crate::cli) async fn end(self) {
        let moment = crate::failpoint::bound("deliveries", Duration::from_secs(5));
        let _ = tokio::time::timeout(moment, self.task).await;
    }
}

/// Applies another configuration.
pub(in crate::cli) struct Replacer {
    jobs: Jobs,
    channels: watch::Sender<Arc<[Channel]>>,
    store: Store,
    clock: Clock,
    pinger: Pinger,
}

impl Replacer {
    pub(in crate::cli) fn replace(&self, config: &Config, channels: Arc<[Channel]>, pings: PingTargets) {
        self.pinger.set_targets(pings);
        self.jobs.replace(handler(config, &self.store, &self.clock, &self.pinger));
        self.channels.send_replace(channels);
    }
}

/// Runs the due jobs and delivers the due messages, once.
pub(in crate::cli) async fn run_due(
    config: &Config,
    channels: &[Channel],
    store: &Store,
    clock: &Clock,
    pinger: &Pinger,
    cancel: &CancellationToken,
) -> Result<(Vec<JobDone>, Vec<Delivery>), Failure> {
    let (sender, mut ended_jobs) = tokio::sync::mpsc::unbounded_channel();
    let job_pinger = pinger.clone();
    let on_done = Arc::new(move |done: JobDone| {
        pings::job_ended(&job_pinger, &done);
        drop(sender.send(done));
    });
    let jobs = Jobs::new(store.clone(), Arc::clone(clock), handler(config, store, clock, pinger), on_done);
    let lease = config.scheduler.lease;
    let alive = tokio::spawn({
        let jobs = jobs.clone();
        async move { jobs.keep_alive(lease).await }
    });
    let (mut done, mut begun) = (Vec::new(), 0);
    let ended = loop {
        let more = jobs.begin(lease, &ids::token).await;
        begun += more.as_ref().map_or(0, |more| *more as usize);
        while done.len() < begun {
            done.extend(ended_jobs.recv().await);
        }
        match more {
            Ok(1..) if !cancel.is_cancelled() => {}
            Ok(_) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    alive.abort();
    ended?;
    store.publish().await?;
    done.sort_by(|a, b| a.run.cmp(&b.run));
    // Deliver waiting messages even if evaluating the alerts fails.
    let evaluated = crate::alert::evaluate(store, clock(), &|| cancel.is_cancelled()).await;
    let deliveries = delivery_worker(store, clock).deliver_due_until(channels, cancel).await?;
    evaluated?;
    Ok((done, deliveries))
}

/// Logs one line for each job that ends.
pub(in crate::cli) fn log_job(done: &JobDone) {
    let JobDone { run, job, result } = done;
    match result {
        Ok(Ok(job_result)) => {
            tracing::info!(run, job, files = job_result.files, messages = job_result.messages.len(), "job done");
        }
        Ok(Err(failed)) => tracing::error!(run, job, hint = failed.hint, "job failed: {failed}"),
        Err(error) => tracing::error!(run, job, hint = error.hint, "{error}"),
    }
}

/// Logs one line for each attempt.
fn log_delivery(delivery: &Delivery) {
    let Delivery { event, channel, attempt, settled } = delivery;
    match settled {
        SendResult::Sent => tracing::info!(event, channel, attempt, "delivered"),
        SendResult::Again(at, why) => tracing::warn!(event, channel, attempt, next = %at, "not delivered: {why}"),
        SendResult::Dead(why) => {
            tracing::error!(event, channel, attempt, hint = "topicwatch outbox retry --dead", "gave up: {why}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_for_an_unwritable_file_fits_the_error() {
        let hint = |kind: ErrorKind| unwritten(Path::new("a/b"), &std::io::Error::from(kind), "is there room?").hint;
        assert_eq!(hint(ErrorKind::StorageFull), "is there room?");
        assert!(hint(ErrorKind::NotADirectory).contains("move that file away"));
        for kind in [ErrorKind::InvalidInput, ErrorKind::IsADirectory] {
            assert!(hint(kind).contains("another `path`"));
        }
        assert_eq!(hint(ErrorKind::FileTooLarge), "an existing file was not changed");
    }
}
