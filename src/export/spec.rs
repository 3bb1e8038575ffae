//! An export of the configuration: what it writes, which rows, where to, and whether it goes on where the last one ended.
//! When it is made is the schedule's; how, `scheduled`'s.

use std::path::PathBuf;
use std::time::Duration;

use super::{Filtered, Format, Order, Profile, What, wanted};
use crate::model::{Between, Job, JobKind, SchedulePolicy, Source, Time, Tone, closed_list};
use crate::store::Filter;

closed_list! {
    /// Whether each file holds all there is.
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
    /// Unique in the file; a slug like a topic's id. The cursor is kept under it.
    pub name: String,
    pub what: What,
    /// In which format.
    pub format: Format,
    /// For whom, where the format is CSV.
    pub profile: Profile,
    /// Whether each file holds all there is.
    pub mode: Mode,
    /// Topics by id. Empty, with no tags either, means all.
    pub topics: Vec<String>,
    /// Topics by tag.
    pub tags: Vec<String>,
    /// What these sources showed; empty means all.
    pub sources: Vec<Source>,
    /// Items that sound like this; empty means all.
    pub tones: Vec<Tone>,
    /// Items by these handles; empty means all.
    pub authors: Vec<String>,
    /// Items with these words, as they were typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
    /// What becomes of rows that topics' filters hide.
    pub filtered: Filtered,
    /// How far back rows go from the slot, milliseconds; `None` means all the way.
    pub since_ms: Option<u64>,
    /// When it is made.
    pub schedule: SchedulePolicy,
    /// IANA zone of `{date}`.
    pub timezone: String,
    /// Where its files go, with `{name}`, `{date}`, `{topic}` and `{run}`.
    pub path: String,
    /// How many of its newest editions keep their files; `None` means all.
    pub retain: Option<u32>,
}

impl ExportSpec {
    /// The job name in the ledger, and the cursor's.
    #[must_use]
    pub fn job_id(&self) -> String {
        format!("export:{}", self.name)
    }

    /// As a job.
    ///
    /// # Errors
    /// When it cannot be written as JSON, which every export can.
    pub fn job(&self) -> Result<Job, serde_json::Error> {
        let spec = serde_json::to_value(self)?;
        Ok(Job { id: self.job_id(), kind: JobKind::Export, schedule: Some(self.schedule.clone()), spec })
    }

    /// Whether each topic gets a file of its own.
    #[must_use]
    pub fn by_topic(&self) -> bool {
        self.path.contains("{topic}")
    }

    /// Whether a file goes on where the last one ended.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.mode == Mode::Incremental
    }

    /// What is to be written at a slot about a stretch of the reading order, for one topic or for all it is about. Rows
    /// that a stretch can be told of come in its order, so that files that follow one another are one file in pieces.
    #[must_use]
    pub fn order(&self, at: Time, between: Between, topic: Option<&str>) -> Order {
        let filter = Filter {
            topics: topic.map_or_else(|| self.topics.clone(), |topic| vec![topic.to_owned()]),
            // A topic's own file was chosen by its tags already.
            tags: if topic.is_some() { Vec::new() } else { self.tags.clone() },
            sources: self.sources.clone(),
            since: self.since_ms.map(|ms| at.minus(Duration::from_millis(ms))),
            tones: self.tones.clone(),
            authors: self.authors.clone(),
            // Words were looked at when the file was read. Whatever cannot be read any more is refused by the database, and is
            // never all rows.
            words: self.search.as_deref().map(|typed| wanted(typed).unwrap_or_default()),
            seq: (self.what.appends() && self.format != Format::Atom).then_some(between),
            ..Filter::default()
        };
        let timezone = self.timezone.clone();
        Order { format: self.format, profile: self.profile, filter, timezone, ..Order::all(self.what) }
    }

    /// The file of an edition, for one topic or for all. Nothing that is filled in holds a separator or a dot.
    #[must_use]
    pub fn file(&self, run: &str, at: Time, topic: Option<&str>) -> PathBuf {
        let zone = jiff::tz::TimeZone::get(&self.timezone).unwrap_or(jiff::tz::TimeZone::UTC);
        let date = at.to_jiff().map_or_else(String::new, |at| at.to_zoned(zone).strftime("%Y-%m-%d").to_string());
        let filled = self.path.replace("{name}", &self.name).replace("{date}", &date).replace("{run}", &label(run));
        PathBuf::from(topic.map_or(filled.clone(), |topic| filled.replace("{topic}", topic)))
    }
}

/// A run in the name of a file: its slot without what file systems refuse.
fn label(run: &str) -> String {
    let slot = run.split_once('@').map_or(run, |(_, slot)| slot);
    slot.chars().filter(char::is_ascii_alphanumeric).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_in_a_file_name_is_its_slot_in_letters_and_digits() {
        for (run, named) in [
            ("export:sightings@2026-03-11T09:00:00Z", "20260311T090000Z"),
            ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAV"),
            ("export:x@../../etc", "etc"),
        ] {
            assert_eq!(label(run), named);
        }
    }
}
