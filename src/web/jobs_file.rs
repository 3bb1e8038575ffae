//! The configuration file as pages change it: what they can do with it, and the results. The code that serves the pages
//! knows where the file is, and how it is checked and written.

use std::pin::Pin;

use crate::insight::TopicForecast;
use crate::model::{AlertEvent, Firing, Micros, Source, Time};

/// A future that is under way.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The file as it was read.
#[derive(Debug, Clone)]
pub struct FileSnapshot {
    pub text: String,
    /// A fingerprint that changes with every byte of the text.
    pub seen: String,
    /// Its path, for people.
    pub place: String,
    /// Why it cannot be written, if it cannot.
    pub locked: Option<String>,
}

/// An error in a text, or a warning about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Line of the text, from 1, if it has one.
    pub line: Option<usize>,
    pub message: String,
    /// What to do; may be empty.
    pub hint: String,
}

impl Diagnostic {
    /// An error without a line.
    #[must_use]
    pub fn without_line(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { line: None, message: message.into(), hint: hint.into() }
    }
}

/// Why nothing was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaveError {
    /// The file changed since it was read.
    Changed,
    /// It cannot be written, or the text is invalid.
    Refused(Vec<Diagnostic>),
}

/// The effect and cost of a topic.
#[derive(Debug, Clone)]
pub struct Preview {
    /// Over the next 30 days.
    pub forecast: TopicForecast,
    /// The next slots.
    pub next: Vec<Time>,
    pub timezone: String,
    /// Warnings about it.
    pub warnings: Vec<Diagnostic>,
    /// The source that `try_out` would ask, and its price in words; `None` if nothing can be tried.
    pub trial: Option<(Source, String)>,
}

/// The result of a query that was run once, and not stored.
#[derive(Debug, Clone)]
pub struct TrialResult {
    pub source: Source,
    pub found: usize,
    pub cost: Micros,
    /// The first results.
    pub results: Vec<TriedResult>,
}

/// A result: its words and address are both by others.
#[derive(Debug, Clone)]
pub struct TriedResult {
    pub author: Option<String>,
    pub words: String,
    pub url: Option<String>,
}

/// About how many runs of all topics the trial of an alert reads: a page must answer within seconds.
pub const TRIAL_RUNS: i64 = 1_000;

/// The result of evaluating an alert of the file now. Nothing is stored or sent.
#[derive(Debug, Clone)]
pub struct AlertTrial {
    pub name: String,
    /// Runs that were evaluated, and since when.
    pub runs: u64,
    pub since: Time,
    /// Whether there were more runs since then: only the latest were evaluated.
    pub cut: bool,
    pub firing: Vec<Firing>,
    /// Why the past was not evaluated, if so.
    pub not_backtested: Option<&'static str>,
    /// The events it would have recorded, oldest first.
    pub events: Vec<AlertEvent>,
    /// The channels it would notify.
    pub channels: Vec<String>,
    pub paused: bool,
}

/// The configuration file behind the pages.
pub trait JobsFile: Send + Sync {
    /// Reads it, or returns why it cannot be read.
    fn open(&self) -> Result<FileSnapshot, Diagnostic>;

    /// Writes the text, if the file still has the fingerprint `seen` and the text is valid. Returns the new
    /// fingerprint: the file may change again before anybody reads it.
    fn save(&self, text: &str, seen: &str) -> Result<String, SaveError>;

    /// Checks a text as if it were the file, as `topicwatch check` does. Returns all errors, or what a topic of it
    /// will do and cost.
    fn preview<'a>(&'a self, text: &'a str, topic: &'a str) -> Pending<'a, Result<Preview, Vec<Diagnostic>>>;

    /// Runs the query of a topic of a text once, with one source.
    fn try_out<'a>(&'a self, text: &'a str, topic: &'a str) -> Pending<'a, Result<TrialResult, Diagnostic>>;

    /// Evaluates an alert of the file over the latest runs.
    fn try_alert<'a>(&'a self, alert: &'a str) -> Pending<'a, Result<AlertTrial, Diagnostic>>;

    /// A report of one topic up to now, as a page. With `among`, for visitors who may see only some topics, it leaves
    /// out what others found.
    fn report<'a>(&'a self, topic: &'a str, among: Option<&'a [String]>) -> Pending<'a, Result<String, Diagnostic>>;
}
