//! `[[reports]]`: which reports are made about which topics, when, and where they are delivered.

use std::path::Path;

use super::names_and_paths::{NamesAndPaths, Parsed};
use super::references::{References, is_known, listed};
use super::schedule_keys::Schedules;
use crate::config::file::discover::LoadRequest;
use crate::config::file::document::Document;
use crate::config::file::key_reader::Reader;
use crate::config::keys::{BOTH, Section};
use crate::config::mistakes::fault::Fault;
use crate::config::mistakes::mistake::Mistakes;
use crate::config::values::names::slug;
use crate::config::values::paths;
use crate::config::values::scalars::{plain_text, text, texts, unknown_choice};
use crate::config::values::value::{Table, Value};
use crate::model::{PingSpec, ReportFormat, ReportSpec, ReportWindow, SchedulePolicy};

/// Default path of reports since the last one: there may be several a day.
const SINCE_LAST: &str = "reports/{name}-{date}-{time}";

/// Reads all reports. Mistakes are reported; a report with a mistake is left out.
pub(in crate::config) fn read(
    document: &Document,
    dir: &Path,
    request: &LoadRequest<'_>,
    pings: &mut Vec<PingSpec>,
    mistakes: &mut Mistakes<'_>,
) -> Vec<ReportSpec> {
    let known = References::of(document);
    let mut schedules = Schedules::new(request.now);
    let mut names_and_paths = NamesAndPaths::new("report", "reports are stored by name: choose another", dir);
    let mut reports = Vec::with_capacity(document.reports.len());
    for table in &document.reports {
        let tables = [table];
        let reader = Reader { section: Section::Report, tables: &tables };
        let parsed = one(&reader, table, &known, &mut schedules, document.broken, mistakes);
        // Read even if another key is wrong, to find every mistake at once.
        let job = parsed.spec.as_ref().map_or_else(|| "report:report".to_owned(), ReportSpec::job);
        let ping = super::pings::read(&reader, &job, mistakes);
        let Some((mut report, path)) = names_and_paths.check(&reader, parsed, mistakes) else { continue };
        pings.extend(ping);
        report.path = path;
        reports.push(report);
    }
    reports
}

fn one(
    reader: &Reader<'_>,
    table: &Table,
    known: &References,
    schedules: &mut Schedules,
    broken: bool,
    mistakes: &mut Mistakes<'_>,
) -> Parsed<ReportSpec> {
    let name = reader.read(mistakes, "name", slug);
    if let (false, Some(header), false) = (broken, &table.header, table.was_written("name")) {
        mistakes.at(header, "this report has no `name`", "write name = \"…\": a short, permanent name");
    }
    let title = match reader.written("title") {
        Some(_) => reader.read(mistakes, "title", |value| plain_text(value, 200)),
        None => name.clone(),
    };
    let topics = reader.read(mistakes, "topics", |value| listed(value, &known.topics, "topic"));
    let tags = reader.read(mistakes, "tags", |value| listed(value, &known.tags, "tag"));
    let channels = reader.read(mistakes, "channels", |value| listed(value, &known.channels, "channel"));
    let group = match reader.written("group") {
        None => Some(None),
        Some(_) => reader.read(mistakes, "group", |value| {
            let tag = text(value)?;
            is_known(&tag, &known.tags, "tag").map(|()| Some(tag))
        }),
    };
    let window = reader.choice(mistakes, "window", ReportWindow::parse);
    let formats = reader.read(mistakes, "format", formats);
    let path = match (reader.written("path"), window) {
        (None, Some(ReportWindow::SinceLast)) if !table.was_written("path") => Some(SINCE_LAST.to_owned()),
        // The window decides the default path.
        (None, None) => None,
        _ => reader.read(mistakes, "path", path),
    };
    let scheduled = reader.written("schedule").is_some() || reader.written("every").is_some();
    let schedule = schedules.read(reader, mistakes);
    let is_schedule_wrong = scheduled && schedule.is_none();
    let once_a_day = |policy: &SchedulePolicy| !schedules.is_several_per_day(policy);
    if let (Some(ReportWindow::SinceLast), Some(path), Some(setting)) = (window, &path, reader.written("path"))
        && (!path.contains("{date}") || !path.contains("{time}") && !schedule.as_ref().is_none_or(once_a_day))
    {
        mistakes.warn(
            setting.origin.span(),
            "`path` is the same for several reports, but each holds only what is new since the last: later ones overwrite earlier ones",
            format!("write {{date}} and {{time}}, as in \"{SINCE_LAST}\""),
        );
    }
    if let (Some(window), Some(policy)) = (window, &schedule) {
        warn_of_repeated_reports(reader, window, policy, schedules, mistakes);
    }
    let timezone = reader.value_or_default("timezone").and_then(|setting| text(&setting.value).ok());
    let report = || {
        Some(ReportSpec {
            name: name.clone()?,
            title: title?,
            topics: topics?,
            tags: tags?,
            schedule,
            timezone: timezone?,
            window: window?,
            formats: formats?,
            path: path.clone()?,
            group: group?,
            channels: channels?,
        })
    };
    let spec = report().filter(|_| !is_schedule_wrong);
    Parsed { name, path, spec }
}

/// Warns about a schedule that makes the report of the same week or month several times.
fn warn_of_repeated_reports(
    reader: &Reader<'_>,
    window: ReportWindow,
    policy: &SchedulePolicy,
    schedules: &Schedules,
    mistakes: &mut Mistakes<'_>,
) {
    // Some weeks and months have one slot more than others.
    let (most, days, example) = match window {
        ReportWindow::Week => (9, 56, "0 7 * * 1"),
        ReportWindow::Month => (13, 366, "0 7 1 * *"),
        ReportWindow::Day | ReportWindow::SinceLast => return,
    };
    let Some(setting) = reader.written("schedule").or_else(|| reader.written("every")) else { return };
    if schedules.more_than(policy, most, days) {
        let noun = window.period_name();
        mistakes.warn(
            setting.origin.span(),
            format!("the report covers the last whole {noun}, but runs more than once a {noun}: each run overwrites the previous report and sends it again"),
            format!("once is enough, as with schedule = \"{example}\""),
        );
    }
}

/// Reads one format or several, each once.
fn formats(value: &Value) -> Result<Vec<ReportFormat>, Fault> {
    let mut names: Vec<&'static str> = ReportFormat::ALL.iter().map(|format| format.as_str()).collect();
    let words = match value {
        Value::List(_) => texts(value, ReportFormat::ALL.len(), 64)?,
        one => match text(one)?.as_str() {
            BOTH => return Ok(ReportFormat::ALL.to_vec()),
            word => {
                names.push(BOTH);
                vec![word.to_owned()]
            }
        },
    };
    if words.is_empty() {
        return Err(Fault::new("is empty: nothing would be written", "write \"html\", \"markdown\", or both"));
    }
    words.iter().map(|word| ReportFormat::parse(word).ok_or_else(|| unknown_choice(word, &names))).collect()
}

/// Reads a path without an ending: the format adds it.
fn path(value: &Value) -> Result<String, Fault> {
    let path = paths::template(value, &["name", "date", "time"], "reports/{name}-{date}")?;
    let lower = path.to_ascii_lowercase();
    if [".html", ".htm", ".md"].iter().any(|ending| lower.ends_with(ending)) {
        return Err(Fault::new("has a file extension", "remove it: `format` determines it"));
    }
    Ok(path)
}
