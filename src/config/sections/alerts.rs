//! `[[alerts]]`: what each alert looks for, in which topics, and whom it notifies. `alert` decides when one fires.

use std::collections::BTreeSet;
use std::time::Duration;

use super::references::{References, listed};
use crate::config::file::document::Document;
use crate::config::file::key_reader::Reader;
use crate::config::keys::Section;
use crate::config::mistakes::fault::Fault;
use crate::config::mistakes::mistake::Mistakes;
use crate::config::values::names::slug;
use crate::config::values::scalars::{duration, flag, text, texts, to_fault};
use crate::config::values::value::Table;
use crate::model::{AlertRule, AlertSpec, QuietHours, Source, TopicLimits};
use crate::{filter, schedule};

const DAY: Duration = Duration::from_secs(86_400);

/// Keys that apply only to some rules, with these rules.
const FOR_SOME: [(&str, &[AlertRule]); 7] = [
    ("words", &[AlertRule::Items]),
    ("sources", &[AlertRule::Items, AlertRule::Volume, AlertRule::Negative, AlertRule::Source]),
    ("min", &[AlertRule::Items, AlertRule::Volume, AlertRule::Negative, AlertRule::Missed]),
    ("window", &[AlertRule::Volume, AlertRule::Negative]),
    ("failures", &[AlertRule::Source]),
    ("of", &[AlertRule::Source]),
    ("percent", &[AlertRule::Budget]),
];

/// Daily limits of the search service and of each other provider, and the least that a call of each source in use
/// may cost.
#[derive(Debug, Default)]
pub(in crate::config) struct Limits {
    pub(in crate::config) service: TopicLimits,
    pub(in crate::config) providers: Vec<(Source, TopicLimits)>,
    pub(in crate::config) prices: Vec<(Source, i64)>,
}

/// Reads all alerts. Mistakes are reported; an alert with a mistake is left out.
pub(in crate::config) fn read(document: &Document, limits: &Limits, mistakes: &mut Mistakes<'_>) -> Vec<AlertSpec> {
    let known = References::of(document);
    let mut names = BTreeSet::new();
    let mut alerts = Vec::with_capacity(document.alerts.len());
    for table in &document.alerts {
        let tables = [table];
        let reader = Reader { section: Section::Alert, tables: &tables };
        alerts.extend(one(&reader, table, &known, limits, document.broken, &mut names, mistakes));
    }
    alerts
}

fn one(
    reader: &Reader<'_>,
    table: &Table,
    known: &References,
    limits: &Limits,
    broken: bool,
    names: &mut BTreeSet<String>,
    mistakes: &mut Mistakes<'_>,
) -> Option<AlertSpec> {
    let name = reader.read(mistakes, "name", slug);
    if let Some(name) = &name {
        let hint = "the cursor is stored under this name: choose another";
        reader.check_unique(mistakes, "name", names, name.clone(), "alert", hint);
    }
    let rules: Vec<&str> = AlertRule::ALL.iter().map(|rule| rule.as_str()).collect();
    let needs_rule = format!("write rule = \"…\": {}", rules.join(", "));
    for (key, needs) in [("name", "write name = \"…\": a short, permanent name"), ("rule", needs_rule.as_str())] {
        if let (false, Some(header), false) = (broken, &table.header, table.was_written(key)) {
            mistakes.at(header, format!("this alert has no `{key}`"), needs);
        }
    }
    let rule = reader.choice(mistakes, "rule", AlertRule::parse);
    let topics = reader.read(mistakes, "topics", |value| listed(value, &known.topics, "topic"));
    let tags = reader.read(mistakes, "tags", |value| listed(value, &known.tags, "tag"));
    let channels = reader.read(mistakes, "channels", |value| listed(value, &known.channels, "channel"));
    let sources = reader.read(mistakes, "sources", |value| super::references::sources(value, known));
    let words = reader.read(mistakes, "words", |value| {
        let words = texts(value, 100, 200)?;
        let wrong = words.iter().find_map(|word| filter::check_term(word).err());
        wrong.map_or(Ok(words), |wrong| Err(Fault::new(format!("contains an entry that {}", wrong.text), wrong.hint)))
    });
    let window = reader.read(mistakes, "window", |value| duration(value, Duration::from_secs(600), 7 * DAY));
    let cooldown = reader.read(mistakes, "cooldown", |value| duration(value, Duration::ZERO, 7 * DAY));
    let (failures, of) = (reader.count(mistakes, "failures"), reader.count(mistakes, "of"));
    let percent = reader.count(mistakes, "percent");
    let least = match reader.written("min") {
        Some(_) => reader.count(mistakes, "min").map(Some),
        None => Some(None),
    };
    let quiet = match reader.written("quiet") {
        Some(_) => reader.read(mistakes, "quiet", |value| parse_quiet_hours(&text(value)?).map(Some)),
        None => Some(None),
    };
    let timezone = reader.read(mistakes, "timezone", |value| {
        let zone = text(value)?;
        schedule::check_zone(&zone).map_err(to_fault)?;
        Ok(zone)
    });
    let recovery = reader.read(mistakes, "recovery", flag);
    let paused = reader.read(mistakes, "paused", flag);
    let rule = rule?;
    check_combination(reader, rule, (failures, of), mistakes);
    let least = least?.unwrap_or(match rule {
        AlertRule::Volume => 10,
        AlertRule::Negative => 30,
        _ => 1,
    });
    Some(AlertSpec {
        name: name?,
        rule,
        topics: topics?,
        tags: tags?,
        words: words?,
        sources: sources?,
        least,
        window_ms: u64::try_from(window?.as_millis()).ok()?,
        failures: failures?,
        of: of?,
        share: percent?,
        channels: channels?,
        cooldown_ms: u64::try_from(cooldown?.as_millis()).ok()?,
        quiet: quiet?,
        timezone: timezone?,
        recovery: recovery?,
        service: limits.service,
        providers: limits.providers.clone(),
        prices: if rule == AlertRule::Budget { limits.prices.clone() } else { Vec::new() },
        paused: paused?,
    })
}

/// Reports keys that do not fit the rule or each other.
fn check_combination(
    reader: &Reader<'_>,
    rule: AlertRule,
    (failures, of): (Option<u32>, Option<u32>),
    mistakes: &mut Mistakes<'_>,
) {
    for (key, rules) in FOR_SOME {
        if let Some(setting) = reader.written(key)
            && !rules.contains(&rule)
        {
            let rules: Vec<&str> = rules.iter().map(|rule| rule.as_str()).collect();
            let fault = Fault::new(
                format!("does not apply to rule = \"{rule}\""),
                format!("it applies to {}", rules.join(", ")),
            );
            mistakes.fault(key, &setting.origin, fault);
        }
    }
    let (Some(failures), Some(of), AlertRule::Source) = (failures, of, rule) else { return };
    if failures <= of {
        return;
    }
    if let Some(setting) = reader.written("failures") {
        let fault = Fault::new(format!("is more than `of` = {of}"), "that many failures can never occur: raise `of`");
        mistakes.fault("failures", &setting.origin, fault);
    } else if let Some(setting) = reader.written("of") {
        let hint = "that many failures can never occur: raise it, or set `failures`";
        let fault = Fault::new(format!("is less than `failures`, which is {failures} by default"), hint);
        mistakes.fault("of", &setting.origin, fault);
    }
}

/// Parses `22:00-07:00`.
fn parse_quiet_hours(text: &str) -> Result<QuietHours, Fault> {
    let wrong = || Fault::new(format!("cannot be {text:?}"), "write two times of a day, such as \"22:00-07:00\"");
    let minute = |time: &str| {
        let (hour, minute) = time.trim().split_once(':')?;
        let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
        (minute < 60 && hour < 24).then_some(hour * 60 + minute)
    };
    let (from, until) = text.split_once('-').ok_or_else(wrong)?;
    let quiet = QuietHours { from: minute(from).ok_or_else(wrong)?, until: minute(until).ok_or_else(wrong)? };
    if quiet.from == quiet.until {
        return Err(Fault::new("starts and ends at the same time", "remove it, or set a different end"));
    }
    Ok(quiet)
}
