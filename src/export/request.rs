//! The export that a user requests. It is parsed here for both the command line and the API, so that a filter means the
//! same in both and is refused for the same reasons. Each has its own way to write options and errors.

use super::{ExportFilter, ExportKind, ExportOptions, FilterMode, Format, Profile};
use crate::compare::MOST_TERM_DAYS;
use crate::compare::{NoStart, Since, begin};
use crate::model::{Kind, Mark, ReportSpec, SeqRange, Source, TextQuery, Time, Tone, Topic, is_language_tag};
use crate::schedule::{check_zone, parse_instant, read_instant};
use crate::store::{Filter, Store};

/// A request. The caller has already checked words of closed lists.
#[derive(Debug)]
pub struct ExportRequest<'a> {
    pub what: ExportKind,
    pub format: Format,
    /// The profile, if the format is CSV.
    pub profile: Profile,
    /// Topics by id.
    pub topics: &'a [String],
    /// Topics by tag.
    pub tags: &'a [String],
    /// Only what these sources showed.
    pub sources: Vec<Source>,
    /// Start of the period. For `changes` also a run, or `last-report`: [`ExportOptions::set_start`] reads it.
    pub since: Option<&'a str>,
    /// End of the period.
    pub until: Option<&'a str>,
    /// Only items with these tones.
    pub tones: Vec<Tone>,
    /// Only items first seen since then, and within their topic's window.
    pub new_since: Option<&'a str>,
    /// Only items by these handles, with or without `@`.
    pub authors: &'a [String],
    /// Only items with these words.
    pub words: Option<TextQuery>,
    /// Numbers of runs, as `120..180`.
    pub seq: Option<&'a str>,
    /// The zone of the days of `daily`.
    pub timezone: Option<&'a str>,
    /// What to do with rows that topics' filters hide.
    pub filtered: FilterMode,
    /// Only items of these kinds.
    pub kinds: Vec<Kind>,
    /// Only items in these languages.
    pub languages: &'a [String],
    /// Only items with these marks.
    pub marks: Vec<Mark>,
    /// Only items with a star.
    pub starred: bool,
    /// Only items with a note.
    pub noted: bool,
}

/// Why a request is invalid, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidRequest {
    /// The option, as the command line writes it.
    pub option: &'static str,
    /// The given value, if it is wrong whatever else was asked.
    pub given: Option<String>,
    /// The reason, as the end of a sentence that starts with the option or the value.
    pub why: String,
    /// What to do.
    pub hint: String,
}

impl InvalidRequest {
    fn with_value(option: &'static str, value: &str, why: &str, hint: &str) -> Self {
        Self { option, given: Some(value.to_owned()), why: why.to_owned(), hint: hint.to_owned() }
    }
}

impl ExportRequest<'_> {
    /// Returns what to write.
    ///
    /// # Errors
    /// If the request is invalid.
    pub fn parse(self, now: Time) -> Result<ExportOptions, InvalidRequest> {
        let time = |option: &'static str, value: Option<&str>| match value {
            // For `changes` the start may be a run of each topic.
            Some(_) if self.what == ExportKind::Changes && option != "--until" => Ok(None),
            Some(text) => read_instant(text, now)
                .map(Some)
                .map_err(|(why, hint)| InvalidRequest::with_value(option, text, why, hint)),
            None => Ok(None),
        };
        // For `changes` too, if it is a time and not a run.
        let begin = self.since.or(self.new_since).and_then(|text| parse_instant(text, now));
        if let (Some(text), Some(end)) = (self.until, time("--until", self.until)?)
            && begin.is_some_and(|begin| begin >= end)
        {
            let option = if self.since.is_some() { "--since" } else { "--new-since" };
            let hint = "swap them, or choose a later --until; times are in UTC, and 24h means 24 hours ago";
            return Err(InvalidRequest::with_value("--until", text, &format!("is not after {option}"), hint));
        }
        if let (ExportKind::Terms, Some(begin), Some(text)) = (self.what, begin, self.since) {
            let end = time("--until", self.until)?.unwrap_or(now);
            if end.0.saturating_sub(begin.0) > MOST_TERM_DAYS * 86_400_000 {
                let why = format!("is more than {MOST_TERM_DAYS} days before the end");
                return Err(InvalidRequest::with_value("--since", text, &why, "choose a shorter span, such as 7d"));
            }
        }
        let timezone = self.timezone.unwrap_or("UTC");
        check_zone(timezone).map_err(|refused| InvalidRequest {
            option: "--timezone",
            given: None,
            why: format!(": {}", refused.message),
            hint: refused.hint,
        })?;
        let filter = Filter {
            topics: self.topics.to_vec(),
            tags: self.tags.to_vec(),
            since: time("--since", self.since)?,
            until: time("--until", self.until)?,
            new_since: time("--new-since", self.new_since)?,
            sources: self.sources,
            tones: self.tones,
            authors: self.authors.iter().map(|handle| handle.trim_start_matches('@').to_owned()).collect(),
            words: self.words,
            seq: self.seq.map(parse_run_range).transpose()?,
            kinds: self.kinds,
            languages: self.languages.iter().map(|tag| parse_language(tag)).collect::<Result<_, _>>()?,
            marks: self.marks,
            starred: self.starred,
            noted: self.noted,
        };
        if self.what == ExportKind::Changes && self.since.is_some() && self.new_since.is_some() {
            let why = " and --new-since are the same for changes".to_owned();
            return Err(InvalidRequest { option: "--since", given: None, why, hint: "use one of them".to_owned() });
        }
        if let Some((part, takers)) = self.what.first_unsupported(&filter, self.filtered != FilterMode::Keep) {
            return Err(unsupported_filter(self.what, part, &takers));
        }
        if self.timezone.is_some() && self.what != ExportKind::Daily {
            let why = format!(" does not apply to {}", self.what);
            let hint = "remove it, or export daily".to_owned();
            return Err(InvalidRequest { option: "--timezone", given: None, why, hint });
        }
        let (format, profile, timezone) = (self.format, self.profile, timezone.to_owned());
        Ok(ExportOptions { format, profile, filter, timezone, ..ExportOptions::all(self.what) })
    }
}

impl ExportOptions {
    /// Sets where the changes of each topic begin, with the same rules as `diff`.
    ///
    /// # Errors
    /// If a topic has no such start.
    pub async fn set_start(
        &mut self,
        store: &Store,
        named: &str,
        now: Time,
        reports: &[ReportSpec],
    ) -> Result<(), NoStart> {
        let tags = &self.filter.tags;
        let wanted = |topic: &Topic| tags.is_empty() || topic.tags.iter().any(|tag| tags.contains(tag));
        let watched =
            store.watched_topics(&self.filter.topics).await?.into_iter().filter_map(|watched| watched.definition);
        for topic in watched.filter(wanted).collect::<Vec<_>>() {
            match begin(store, &topic, named, parse_instant(named, now), reports).await? {
                Since::Run(seq) => drop(self.since_runs.insert(topic.id, seq)),
                Since::Instant(at) => self.filter.since = Some(at),
                Since::TheRunBefore => {}
            }
        }
        Ok(())
    }
}

/// Checks a language tag: `en`, `pt-BR`.
fn parse_language(tag: &str) -> Result<String, InvalidRequest> {
    if tag.len() <= 20 && is_language_tag(tag) {
        return Ok(tag.to_owned());
    }
    let hint = "write a language tag such as en, de or pt-BR; en includes en-GB";
    Err(InvalidRequest::with_value("--lang", tag, "is not a language tag", hint))
}

/// Parses a range of run numbers: `120..180`.
fn parse_run_range(text: &str) -> Result<SeqRange, InvalidRequest> {
    let numbers = text.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    match numbers {
        Some((since, until)) if since <= until => Ok(SeqRange { since, until }),
        _ => {
            let hint = "write 120..180 for runs 121 to 180; 0..180 starts with the first";
            Err(InvalidRequest::with_value("--seq", text, "is not a range of numbers", hint))
        }
    }
}

fn unsupported_filter(what: ExportKind, part: ExportFilter, takers: &[ExportKind]) -> InvalidRequest {
    let takers: Vec<&str> = takers.iter().map(|what| what.as_str()).collect();
    InvalidRequest {
        option: part.as_str(),
        given: None,
        why: format!(" does not apply to {what}"),
        hint: format!("remove it, or export {}; see the table in docs/reference/exports.md", takers.join(", ")),
    }
}
