//! The file that says what is watched, as pages change it: what they ask of it, and what they are answered. Where it is,
//! how it is checked and written is known to whoever serves the pages.

use std::pin::Pin;

use crate::insight::TopicForecast;
use crate::model::{AlertEvent, Firing, Micros, Source, Time};

/// What is under way.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The file as it was read.
#[derive(Debug, Clone)]
pub struct Opened {
    pub text: String,
    /// Changes with every byte of it.
    pub seen: String,
    /// Its path, for people.
    pub place: String,
    /// Why it cannot be written, if so.
    pub locked: Option<String>,
}

/// Something wrong with a text, or a warning about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// Line of the text, from 1, where it has one.
    pub line: Option<usize>,
    pub message: String,
    /// What to do; may be empty.
    pub hint: String,
}

impl Wrong {
    /// Something wrong in no particular line.
    #[must_use]
    pub fn nowhere(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { line: None, message: message.into(), hint: hint.into() }
    }
}

/// Why nothing was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unsaved {
    /// The file is not as it was read.
    Changed,
    /// It cannot be written, or the text is no good.
    Refused(Vec<Wrong>),
}

/// What a topic will do and cost.
#[derive(Debug, Clone)]
pub struct Outlook {
    /// Over the next 30 days.
    pub forecast: TopicForecast,
    /// The next slots.
    pub next: Vec<Time>,
    pub timezone: String,
    /// What is doubtful about it.
    pub warnings: Vec<Wrong>,
    /// Whom `try_out` would ask, and the price of that; nobody where nothing can be tried.
    pub trial: Option<(Source, Micros)>,
}

/// What a question brought that was asked once, and not stored.
#[derive(Debug, Clone)]
pub struct Tried {
    pub source: Source,
    pub found: usize,
    pub cost: Micros,
    /// The first results.
    pub results: Vec<TriedResult>,
}

/// A result: words and an address, both by others.
#[derive(Debug, Clone)]
pub struct TriedResult {
    pub author: Option<String>,
    pub words: String,
    pub url: Option<String>,
}

/// What an alert of the file would say now. Nothing was stored and nobody was told.
#[derive(Debug, Clone)]
pub struct AlertTrial {
    pub name: String,
    /// Runs that were looked at, and since when.
    pub runs: u64,
    pub since: Time,
    pub firing: Vec<Firing>,
    /// What it would have seen, the earliest first.
    pub events: Vec<AlertEvent>,
    /// Whom it would tell.
    pub channels: Vec<String>,
    pub paused: bool,
}

/// The file behind the pages.
pub trait JobsFile: Send + Sync {
    /// Reads it. `Err` says why it cannot be read.
    fn open(&self) -> Result<Opened, Wrong>;

    /// Writes the text in its place, if it is still as it was `seen` and the text is good. As
    /// what the file will be `seen` that was written: it may be changed again before anybody reads it.
    fn save(&self, text: &str, seen: &str) -> Result<String, Unsaved>;

    /// Checks a text as if it stood there, as `topicwatch check` does: everything that is wrong with it, or what a topic of
    /// it will do and cost.
    fn preview<'a>(&'a self, text: &'a str, topic: &'a str) -> Pending<'a, Result<Outlook, Vec<Wrong>>>;

    /// Asks what a topic of a text would ask, of one source, once.
    fn try_out<'a>(&'a self, text: &'a str, topic: &'a str) -> Pending<'a, Result<Tried, Wrong>>;

    /// Looks at the latest runs with an alert of the file.
    fn try_alert<'a>(&'a self, alert: &'a str) -> Pending<'a, Result<AlertTrial, Wrong>>;

    /// A report of one topic up to now, as a page; for who may see some topics alone, with no word of what others found.
    fn report<'a>(&'a self, topic: &'a str, among: Option<&'a [String]>) -> Pending<'a, Result<String, Wrong>>;
}
