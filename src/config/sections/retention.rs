//! `[retention]`: how long data is kept, and when older data is deleted. `store` decides what exactly is deleted.

use std::time::Duration;

use super::schedule_keys::maintenance_schedule;
use crate::config::RetentionConfig;
use crate::config::file::key_reader::Reader;
use crate::config::keys::Section;
use crate::config::mistakes::fault::Fault;
use crate::config::mistakes::mistake::Mistakes;
use crate::config::values::scalars::{duration, format_duration, text};
use crate::config::values::value::{Table, Value};
use crate::model::{Retention, SchedulePolicy};

const DAY: Duration = Duration::from_secs(86_400);

/// How much longer than the widest `catch_up_window` the ledger is kept: it must still know which slots ran.
const LEDGER: Duration = Duration::from_secs(30 * 86_400);

/// The longest time of one prune; the next one continues.
const LONGEST: Duration = Duration::from_secs(3_600);

/// The value for data that is never deleted.
const FOREVER: &str = "forever";

/// Reads the section; `catch_up_ms` is the widest `catch_up_window` of the file.
pub(in crate::config) fn read(table: &Table, catch_up_ms: u64, mistakes: &mut Mistakes<'_>) -> Option<RetentionConfig> {
    let reader = Reader { section: Section::Retention, tables: &[table] };
    let mut kept = |name: &str, least: Duration| reader.read(mistakes, name, |value| span(value, least));
    let (raw, sightings) = (kept("raw", Duration::from_secs(3_600)), kept("sightings", DAY));
    let (items, runs) = (kept("items", DAY), kept("runs", DAY));
    let schedule = reader.read(mistakes, "prune", schedule);
    let (sightings, runs) = (sightings?, runs?);
    let mut refuse = |text: String, hint: String| {
        if let Some(setting) = reader.value_or_default("runs") {
            mistakes.fault("runs", &setting.origin, Fault::new(text, hint));
        }
    };
    let ledger = i64::try_from(catch_up_ms).unwrap_or(i64::MAX).saturating_add(millis(LEDGER));
    if runs.is_some_and(|runs| runs < ledger) {
        let text = "is shorter than the widest `catch_up_window` plus 30 days: completed slots would be forgotten";
        // Otherwise the next check would refuse the value that this one recommends.
        let least = sightings.map(|sightings| sightings.max(ledger)).and_then(|least| u64::try_from(least).ok());
        let hint = match least {
            Some(least) => format!("write at least {}, or {FOREVER:?}", format_duration(Duration::from_millis(least))),
            None => format!("write {FOREVER:?}, as for `sightings`"),
        };
        refuse(text.to_owned(), hint);
        return None;
    }
    if runs.is_some_and(|runs| sightings.is_none_or(|sightings| sightings > runs)) {
        let text = "is shorter than `sightings`, but a snapshot is deleted with its run";
        refuse(text.to_owned(), "set `runs` to at least `sightings`".to_owned());
        return None;
    }
    let kept = Retention { raw: raw?, sightings, items: items?, runs };
    Some(RetentionConfig { kept, schedule: schedule? })
}

fn millis(length: Duration) -> i64 {
    i64::try_from(length.as_millis()).unwrap_or(i64::MAX)
}

fn span(value: &Value, least: Duration) -> Result<Option<i64>, Fault> {
    let written = text(value)?;
    if written == FOREVER {
        return Ok(None);
    }
    if (1..=9).contains(&written.len()) && written.chars().all(|c| c.is_ascii_digit()) {
        let days = format!("{written}d");
        let is_allowed = duration(&Value::Text(days.clone()), least, DAY * 36_500).is_ok();
        let example = if is_allowed { days.as_str() } else { "30d" };
        let hint = format!("write {example:?} for days, or {FOREVER:?}");
        return Err(Fault::new(format!(": `{written}` is not a duration: the unit is missing"), hint));
    }
    let length = duration(value, least, DAY * 36_500)
        .map_err(|fault| Fault { hint: format!("{}, or {FOREVER:?}", fault.hint), ..fault })?;
    Ok(Some(millis(length)))
}

fn schedule(value: &Value) -> Result<Option<SchedulePolicy>, Fault> {
    let text = text(value)?;
    if text == "never" {
        return Ok(None);
    }
    maintenance_schedule(&text, LONGEST).map(Some).map_err(|fault| {
        // Keys that only other sections have.
        if ["every = ", "timezone = "].iter().all(|key| !fault.hint.contains(key)) {
            return fault;
        }
        Fault { hint: "write five fields in UTC, such as \"17 3 * * *\", or \"never\"".to_owned(), ..fault }
    })
}
