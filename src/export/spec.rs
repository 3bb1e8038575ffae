//! The definition of a configured export: what it writes, which rows, where to, and whether it continues where the
//! last one ended. The schedule decides when it runs; `scheduled` runs it.

use std::path::PathBuf;
use std::time::Duration;

use super::{ExportKind, ExportOptions, FilterMode, Format, Profile, parse_query};
use crate::model::{Job, JobKind, SchedulePolicy, SeqRange, Source, Time, Tone, closed_list};
use crate::store::Filter;

closed_list! {
    /// Whether each file holds all rows.
    Mode {
        /// All rows, each time.
        Full = "full",
        /// The rows since the last file.
        Incremental = "incremental",
    }
}

/// An export of `[[exports]]`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ExportSpec {
    /// Unique in the file; a slug like a topic's id. The cursor is stored under it.
    pub name: String,
    pub what: ExportKind,
    pub format: Format,
    /// The profile, if the format is CSV.
    pub profile: Profile,
    /// Whether each file holds all rows.
    pub mode: Mode,
    /// Topics by id. Empty, with no tags either, means all.
    pub topics: Vec<String>,
    /// Topics by tag.
    pub tags: Vec<String>,
    /// Only what these sources showed; empty means all.
    pub sources: Vec<Source>,
    /// Only items with these tones; empty means all.
    pub tones: Vec<Tone>,
    /// Only items by these handles; empty means all.
    pub authors: Vec<String>,
    /// Only items with these words, as typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// What to do with rows that topics' filters hide.
    pub filtered: FilterMode,
    /// How far back from the slot rows go, in milliseconds; `None` means no limit.
    pub since_ms: Option<u64>,
    /// When it runs.
    pub schedule: SchedulePolicy,
    /// IANA zone of `{date}`.
    pub timezone: String,
    /// Where its files go, with `{name}`, `{date}`, `{topic}` and `{run}`.
    pub path: String,
    /// How many of its newest editions keep their files; `None` means all.
    pub retain: Option<u32>,
}

impl ExportSpec {
    /// The name of the job in the ledger, and of the cursor.
    #[must_use]
    pub fn job_id(&self) -> String {
        format!("export:{}", self.name)
    }

    /// The export as a job.
    ///
    /// # Errors
    /// If it cannot be written as JSON, which never happens.
    pub fn job(&self) -> Result<Job, serde_json::Error> {
        let spec = serde_json::to_value(self)?;
        Ok(Job { id: self.job_id(), kind: JobKind::Export, schedule: Some(self.schedule.clone()), spec })
    }

    /// Whether each topic gets a file of its own.
    #[must_use]
    pub fn by_topic(&self) -> bool {
        self.path.contains("{topic}")
    }

    /// Whether each file continues where the last one ended.
    #[must_use]
    pub fn is_incremental(&self) -> bool {
        self.mode == Mode::Incremental
    }

    /// Whether its rows depend on items as they are now: it shows them, or a filter compares with them.
    #[must_use]
    pub fn shows_current_items(&self) -> bool {
        let is_compared = !self.tones.is_empty() || !self.authors.is_empty() || self.search.is_some();
        self.what == ExportKind::Items || is_compared
    }

    /// The rows to write at a slot for a range of the reading order, for one topic or for all that the export covers.
    /// Kinds that can be selected by such a range come in reading order, so that incremental files form one file in
    /// pieces.
    #[must_use]
    pub fn order(&self, at: Time, between: SeqRange, topic: Option<&str>) -> ExportOptions {
        let filter = Filter {
            topics: topic.map_or_else(|| self.topics.clone(), |topic| vec![topic.to_owned()]),
            // A topic's own file was already selected by its tags.
            tags: if topic.is_some() { Vec::new() } else { self.tags.clone() },
            sources: self.sources.clone(),
            since: self.since_ms.map(|ms| at.minus(Duration::from_millis(ms))),
            tones: self.tones.clone(),
            authors: self.authors.clone(),
            // Words were checked when the configuration was read. If they no longer parse, the database refuses them;
            // they never mean all rows.
            words: self.search.as_deref().map(|typed| parse_query(typed).unwrap_or_default()),
            seq: (self.what.is_append_only() && self.format != Format::Atom).then_some(between),
            ..Filter::default()
        };
        let timezone = self.timezone.clone();
        ExportOptions { format: self.format, profile: self.profile, filter, timezone, ..ExportOptions::all(self.what) }
    }

    /// The file of an edition, for one topic or for all. Inserted values contain no separator and no dot.
    #[must_use]
    pub fn file(&self, run: &str, at: Time, topic: Option<&str>) -> PathBuf {
        let zone = jiff::tz::TimeZone::get(&self.timezone).unwrap_or(jiff::tz::TimeZone::UTC);
        let date = at.to_jiff().map_or_else(String::new, |at| at.to_zoned(zone).strftime("%Y-%m-%d").to_string());
        let filled = self.path.replace("{name}", &self.name).replace("{date}", &date).replace("{run}", &label(run));
        PathBuf::from(topic.map_or(filled.clone(), |topic| filled.replace("{topic}", topic)))
    }
}

/// A run in the name of a file: its slot without characters that file systems refuse.
fn label(run: &str) -> String {
    let slot = run.split_once('@').map_or(run, |(_, slot)| slot);
    slot.chars().filter(char::is_ascii_alphanumeric).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_in_a_file_name_becomes_the_slot_in_letters_and_digits() {
        for (run, named) in [
            ("export:sightings@2026-03-11T09:00:00Z", "20260311T090000Z"),
            ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAV"),
            ("export:x@../../etc", "etc"),
        ] {
            assert_eq!(label(run), named);
        }
    }
}
