//! Reads, checks and writes `jobs.toml` for the dashboard. It is written as a whole, and only if nobody changed it in
//! the meantime. `edit` changes the text; `web` makes the pages.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::cli::run::jobs_toml::{create_replacement, fingerprint, lock_folder, read, unwritable, writable};
use crate::cli::run::{alert_trial, query_trial};
use crate::cli::setup::plan;
use crate::cli::terminal::failure::Failure;
use crate::cli::wiring::context::{self, Context};
use crate::cli::wiring::options::Common;
use crate::cli::wiring::{channels, pings, schedules};
use crate::compare::restrict_to_topics;
use crate::config::{self, Config, LoadError, Mistake};
use crate::insight::{Horizon, forecast};
use crate::model::{Clock, ReportFormat, ReportSpec, ReportWindow, Time, Topic};
use crate::report;
use crate::schedule::Schedule;
use crate::store::Store;
use crate::web::{AlertTrial, Diagnostic, FileSnapshot, JobsFile, Pending, Preview, SaveError, TrialResult};

/// Next slots shown in a preview.
const SLOTS: usize = 3;
/// Days whose cost a preview shows.
const DAYS: u32 = 30;

/// Edits the file that this process was started with.
pub(in crate::cli) struct Editor {
    common: Common,
    clock: Clock,
    /// The database that forecasts and reports read.
    store: Store,
    /// Whether this process is a daemon, which delivers messages and reloads the file: it must accept the new text.
    delivers: bool,
    writing: Mutex<()>,
}

impl Editor {
    pub(in crate::cli) fn new(common: &Common, file: &Path, clock: Clock, store: Store, delivers: bool) -> Self {
        // Keep the file that was found, even if one with higher precedence appears later.
        let common = Common { config: Some(file.to_owned()), ..common.clone() };
        Self { common, clock, store, delivers, writing: Mutex::new(()) }
    }

    fn now(&self) -> Time {
        (self.clock)()
    }

    /// The path of the file itself, so that a link to it stays a link.
    fn path(&self) -> io::Result<PathBuf> {
        self.common.config.clone().unwrap_or_default().canonicalize()
    }

    fn context(&self, config: Config) -> Context {
        Context { config, clock: self.clock.clone(), options: self.common.clone() }
    }

    /// Loads the configuration from a text, on a separate thread: checking many topics takes seconds.
    async fn config(&self, text: String) -> Result<Config, Vec<Diagnostic>> {
        let (common, now) = (self.common.clone(), self.now());
        let loaded = tokio::task::spawn_blocking(move || load(&common, now, &text)).await;
        loaded.map_err(|error| vec![Diagnostic::without_line(format!("the check failed: {error}"), "")])?
    }

    /// Loads a text and returns one of its topics with the whole configuration.
    async fn topic(&self, text: &str, id: &str) -> Result<(Context, Topic), Vec<Diagnostic>> {
        let config = self.config(text.to_owned()).await?;
        let topic = config.topics.iter().find(|topic| topic.id == id).cloned();
        let topic =
            topic.ok_or_else(|| vec![Diagnostic::without_line(format!("there is no topic `{id}` in the file"), "")])?;
        Ok((self.context(config), topic))
    }

    /// Rejects a file that the daemon would refuse to reload: a channel or a ping has an unusable secret, or there is
    /// no schedule.
    fn check_reload(&self, config: &Config) -> Result<(), Diagnostic> {
        if self.delivers {
            if !schedules::has_any_schedule(config) {
                let (text, hint) = schedules::NOTHING_TO_RUN;
                return Err(Diagnostic::without_line(text, hint));
            }
            let wrong = |failure: Failure| Diagnostic::without_line(failure.text, failure.hint);
            channels::read(config).map_err(wrong)?;
            pings::targets(config).map_err(wrong)?;
        }
        Ok(())
    }

    async fn forecast(&self, text: &str, id: &str) -> Result<Preview, Vec<Diagnostic>> {
        let (context, topic) = self.topic(text, id).await?;
        self.check_reload(&context.config).map_err(|wrong| vec![wrong])?;
        let now = self.now();
        let away = |error: crate::store::StoreError| vec![Diagnostic::without_line(error.text, error.hint)];
        let (history, used) = plan::history(&context, &self.store, now).await.map_err(away)?;
        let service = &context.config.service;
        let horizon = Horizon { from: now, days: DAYS, limits: service.limits(), used, tries: service.max_tries };
        let topics = std::slice::from_ref(&topic);
        let refused = |error: crate::schedule::ScheduleError| vec![Diagnostic::without_line(error.message, error.hint)];
        let forecast = forecast(topics, |_| true, &context.prices(), &history, horizon).map_err(refused)?;
        let topic_forecast = forecast.topics.into_iter().next();
        let topic_forecast =
            topic_forecast.ok_or_else(|| vec![Diagnostic::without_line("no forecast is possible", "")])?;
        let mut next = Vec::new();
        if let Some(policy) = topic.schedule.as_ref().filter(|policy| !policy.paused) {
            let schedule = Schedule::compile(policy).map_err(refused)?;
            let mut at = now;
            while let Some(slot) = schedule.next_after(at).filter(|_| next.len() < SLOTS) {
                next.push(slot);
                at = slot;
            }
        }
        Ok(Preview {
            forecast: topic_forecast,
            next,
            timezone: topic.timezone().to_owned(),
            trial: query_trial::price(&context, &topic),
            warnings: context.config.notices.into_iter().map(mistake_to_wrong).collect(),
        })
    }

    async fn render_report(&self, id: &str, among: Option<&[String]>) -> Result<String, Diagnostic> {
        let away = |error: crate::store::StoreError| Diagnostic::without_line(error.text, error.hint);
        let topics = self.store.definitions().await.map_err(away)?;
        let topic = topics.iter().find(|topic| topic.id == id);
        let topic = topic
            .ok_or_else(|| Diagnostic::without_line("there is no such topic", "the overview lists every topic"))?;
        let spec = ReportSpec {
            name: "page".to_owned(),
            title: topic.title.clone(),
            topics: vec![topic.id.clone()],
            tags: Vec::new(),
            schedule: None,
            timezone: topic.timezone().to_owned(),
            window: ReportWindow::SinceLast,
            formats: vec![ReportFormat::Html],
            path: String::new(),
            group: None,
            channels: Vec::new(),
        };
        let now = self.now();
        let span = report::report_span(&spec, now, None);
        let report = report::make(&self.store, &spec, &topics, span, None, now, among.is_some()).await;
        let mut report = report.map_err(away)?;
        report.ad_hoc = true;
        if let Some(among) = among {
            // The original of a near-copy may belong only to a topic outside `among`.
            for row in report.topics.iter_mut().flat_map(|topic| &mut topic.rows) {
                row.copy_of = None;
            }
            for answer in report.topics.iter_mut().filter_map(|topic| topic.answer.as_mut()) {
                let cited = vec![std::mem::take(&mut answer.cited)];
                answer.cited =
                    restrict_to_topics(&self.store, cited, among).await.map_err(away)?.pop().unwrap_or_default();
            }
        }
        Ok(report.html())
    }

    fn write(&self, text: &str, seen: &str) -> Result<String, SaveError> {
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let refused = |error: io::Error| SaveError::Refused(vec![unwritable(&error)]);
        let path = self.path().map_err(refused)?;
        let _other_processes = lock_folder(&path).map_err(refused)?;
        let is_seen = || read(&path).is_ok_and(|bytes| fingerprint(&bytes) == seen);
        if !is_seen() {
            return Err(SaveError::Changed);
        }
        let config = load(&self.common, self.now(), text).map_err(SaveError::Refused)?;
        self.check_reload(&config).map_err(|wrong| SaveError::Refused(vec![wrong]))?;
        let mut new = create_replacement(&path).map_err(refused)?;
        new.write_all(text.as_bytes()).map_err(refused)?;
        // Sync before the last check, because it may be slow. Only a rename follows that check.
        new.sync().map_err(refused)?;
        crate::failpoint::at("editor/written");
        // A text editor may have saved the file in the meantime.
        if !is_seen() {
            return Err(SaveError::Changed);
        }
        crate::failpoint::at("editor/looked");
        new.commit().map_err(refused)?;
        tracing::info!(file = %path.display(), "changed by a page");
        Ok(fingerprint(text.as_bytes()))
    }
}

impl JobsFile for Editor {
    fn open(&self) -> Result<FileSnapshot, Diagnostic> {
        let unreadable = |error: io::Error| {
            let hint = match error.kind() {
                io::ErrorKind::FileTooLarge => "shorten it: no process reads a larger one",
                _ => "check the path and its permissions",
            };
            Diagnostic::without_line(format!("the file cannot be read: {error}"), hint)
        };
        let path = self.path().map_err(unreadable)?;
        let bytes = read(&path).map_err(unreadable)?;
        let seen = fingerprint(&bytes);
        let no_text = |_| Diagnostic::without_line("the file is not UTF-8 text", "`topicwatch check` shows where");
        let text = String::from_utf8(bytes).map_err(no_text)?;
        let locked = writable(&path).err().map(|error| unwritable(&error).message);
        Ok(FileSnapshot { text, seen, place: path.display().to_string(), locked })
    }

    fn save(&self, text: &str, seen: &str) -> Result<String, SaveError> {
        self.write(text, seen)
    }

    fn preview<'a>(&'a self, text: &'a str, topic: &'a str) -> Pending<'a, Result<Preview, Vec<Diagnostic>>> {
        Box::pin(self.forecast(text, topic))
    }

    fn try_out<'a>(&'a self, text: &'a str, topic: &'a str) -> Pending<'a, Result<TrialResult, Diagnostic>> {
        Box::pin(async move {
            let found = self.topic(text, topic).await;
            let (context, topic) = found.map_err(first)?;
            query_trial::try_out(&context, &topic).await
        })
    }

    fn try_alert<'a>(&'a self, alert: &'a str) -> Pending<'a, Result<AlertTrial, Diagnostic>> {
        Box::pin(async move {
            let config = self.config(self.open()?.text).await.map_err(first)?;
            alert_trial::try_alert(&config, &self.store, alert, self.now()).await
        })
    }

    fn report<'a>(&'a self, topic: &'a str, among: Option<&'a [String]>) -> Pending<'a, Result<String, Diagnostic>> {
        Box::pin(self.render_report(topic, among))
    }
}

/// Loads the configuration from a text, or returns all its mistakes.
fn load(common: &Common, now: Time, text: &str) -> Result<Config, Vec<Diagnostic>> {
    let request = context::request(common, now);
    let request = request.map_err(|failure| vec![Diagnostic::without_line(failure.text, failure.hint)])?;
    let file = common.config.clone().unwrap_or_default();
    config::load_text(text, &file, &request).map_err(|error| match error {
        LoadError::Mistakes(mistakes) => mistakes.into_iter().map(mistake_to_wrong).collect(),
        LoadError::Unreadable { message, hint, .. } => vec![Diagnostic::without_line(message, hint)],
        LoadError::NotFound { .. } => vec![Diagnostic::without_line("the configuration file no longer exists", "")],
    })
}

/// Returns the first mistake, for callers that show only one.
fn first(mut all: Vec<Diagnostic>) -> Diagnostic {
    if all.is_empty() { Diagnostic::without_line("it cannot be tried", "") } else { all.swap_remove(0) }
}

fn mistake_to_wrong(mistake: Mistake) -> Diagnostic {
    Diagnostic { line: mistake.place.map(|place| place.line), message: mistake.message, hint: mistake.hint }
}
