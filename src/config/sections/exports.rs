//! `[[exports]]`: which rows are written where and when, and whether each file continues where the last one ended.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::references::{References, listed, sources as sources_of};
use super::schedule_keys::Schedules;
use crate::config::file::discover::LoadRequest;
use crate::config::file::document::Document;
use crate::config::file::key_reader::Reader;
use crate::config::keys::Section;
use crate::config::mistakes::fault::Fault;
use crate::config::mistakes::mistake::Mistakes;
use crate::config::values::names::slug;
use crate::config::values::paths;
use crate::config::values::scalars::{duration, text, texts};
use crate::config::values::value::{Table, Value};
use crate::export::{ExportFilter, ExportKind, ExportSpec, FilterMode, Format, Mode, Profile, parse_query, strip_gz};
use crate::model::{Period, PingSpec, SchedulePolicy, SeqRange, Time, Tone};

const DAY_MS: u64 = 86_400_000;

/// Reads all exports. Mistakes are reported; an export with a mistake is left out.
pub(in crate::config) fn read(
    document: &Document,
    dir: &Path,
    request: &LoadRequest<'_>,
    pings: &mut Vec<PingSpec>,
    mistakes: &mut Mistakes<'_>,
) -> Vec<ExportSpec> {
    let known = References::of(document);
    let mut schedules = Schedules::new(request.now);
    let (mut names, mut paths) = (BTreeSet::new(), BTreeSet::new());
    let mut exports = Vec::with_capacity(document.exports.len());
    for table in &document.exports {
        let tables = [table];
        let reader = Reader { section: Section::Export, tables: &tables };
        let export = one(&reader, table, &known, &mut schedules, document.broken, mistakes);
        // Read even if another key is wrong, to find every mistake at once.
        let name = export.as_ref().map_or("export", |export| export.name.as_str());
        let ping = super::pings::read(&reader, &format!("export:{name}"), mistakes);
        let Some(mut export) = export else { continue };
        pings.extend(ping);
        let mut once = |key: &str, seen: &mut BTreeSet<String>, value: String, hint: &str| {
            reader.check_unique(mistakes, key, seen, value, "export", hint);
        };
        once("name", &mut names, export.name.clone(), "the cursor is stored under this name: choose another");
        // Compare components: `./out` is the same as `out`.
        let path: PathBuf = dir.join(&export.path).components().collect();
        let path = path.to_string_lossy().into_owned();
        once("path", &mut paths, path.replace("{name}", &export.name), "one would overwrite the other: use {name}");
        export.path = path;
        exports.push(export);
    }
    exports
}

fn one(
    reader: &Reader<'_>,
    table: &Table,
    known: &References,
    schedules: &mut Schedules,
    broken: bool,
    mistakes: &mut Mistakes<'_>,
) -> Option<ExportSpec> {
    let name = reader.read(mistakes, "name", slug);
    for (key, needs) in [
        ("name", "write name = \"…\": a short, permanent name"),
        ("what", "write what = \"items\", or another kind of rows"),
    ] {
        if let (false, Some(header), false) = (broken, &table.header, table.was_written(key)) {
            mistakes.at(header, format!("this export has no `{key}`"), needs);
        }
    }
    let what = reader.choice(mistakes, "what", ExportKind::parse);
    let mode = reader.choice(mistakes, "mode", Mode::parse);
    let profile = reader.choice(mistakes, "profile", Profile::parse);
    let filtered = reader.choice(mistakes, "filtered", FilterMode::parse);
    let topics = reader.read(mistakes, "topics", |value| listed(value, &known.topics, "topic"));
    let tags = reader.read(mistakes, "tags", |value| listed(value, &known.tags, "tag"));
    let sources = reader.read(mistakes, "sources", |value| sources_of(value, known));
    let tones = reader.read(mistakes, "tones", |value| words(value, Tone::parse, Tone::ALL));
    let authors = reader.read(mistakes, "authors", |value| texts(value, 1_000, 100));
    let search = reader.read(mistakes, "search", words_searched);
    let since = reader
        .read(mistakes, "since", |value| duration(value, Duration::from_secs(60), Duration::from_secs(3_660 * 86_400)));
    let format = reader.choice(mistakes, "format", Format::parse);
    let written = reader.read(mistakes, "path", path);
    let retain = reader.count(mistakes, "retain");
    let scheduled = table.was_written("schedule") || table.was_written("every");
    if let (false, Some(header), false) = (broken, &table.header, scheduled) {
        mistakes.at(header, "this export has no schedule", "write every = \"1d\", or schedule = \"0 6 * * *\"");
    }
    let schedule = schedules.read(reader, mistakes);
    let timezone = reader.value_or_default("timezone").and_then(|setting| text(&setting.value).ok());
    let bad = |key: &str| reader.written(key).is_some();
    if bad("path") && written.is_none() {
        return None;
    }
    let (name, what, mode) = (name?, what?, mode?);
    let named = written.as_deref().and_then(Format::of_name);
    let (format, path) = match (format, written) {
        (None, None) if bad("format") => return None,
        (None, Some(path)) => (named.unwrap_or(Format::Csv), path),
        (format, None) => {
            let format = format.unwrap_or(Format::Csv);
            let label = if mode == Mode::Incremental { "run" } else { "date" };
            (format, format!("exports/{{name}}-{{{label}}}.{format}"))
        }
        (Some(format), Some(path)) => (format, path),
    };
    // An export without one of these is left out, but the rest is checked, to find every mistake at once.
    let wrong =
        bad("search") && search.is_none() || bad("since") && since.is_none() || bad("retain") && retain.is_none();
    let mut good = schedule.is_some() && !wrong;
    if let (Some(Profile::Excel), Some(setting), true) = (profile, reader.written("profile"), format != Format::Csv) {
        let fault = Fault::new(
            format!("\"excel\" works only with csv, not with {format}"),
            "remove it, or set format = \"csv\"",
        );
        mistakes.fault("profile", &setting.origin, fault);
        good = false;
    }
    let authors = authors?.into_iter().map(|handle| handle.trim_start_matches('@').to_owned()).collect();
    let since_ms = since.and_then(|since| u64::try_from(since.as_millis()).ok());
    let spec = ExportSpec {
        profile: profile?,
        topics: topics?,
        tags: tags?,
        sources: sources?,
        tones: tones?,
        search,
        filtered: filtered?,
        schedule: schedule.unwrap_or_else(|| SchedulePolicy::timing_only(Period::Every(DAY_MS), "UTC")),
        timezone: timezone?,
        name,
        what,
        format,
        mode,
        authors,
        since_ms,
        path,
        retain,
    };
    let fits = check_combination(&spec, named, reader, mistakes);
    (fits && good).then_some(spec)
}

/// Returns whether the parts of an export fit together. Each that does not is reported where it is written.
fn check_combination(
    spec: &ExportSpec,
    named: Option<Format>,
    reader: &Reader<'_>,
    mistakes: &mut Mistakes<'_>,
) -> bool {
    let mut good = true;
    let mut fault = |key: &str, message: String, hint: String| {
        good = false;
        if let Some(setting) = reader.value_or_default(key).or_else(|| reader.value_or_default("name")) {
            mistakes.fault(key, &setting.origin, Fault::new(message, hint));
        }
    };
    if named.is_some_and(|named| named != spec.format) {
        fault(
            "path",
            format!("does not have the file extension of {}", spec.format),
            format!("use the extension .{}", spec.format),
        );
    }
    if spec.format == Format::Xlsx && strip_gz(&spec.path).1 {
        fault("path", "names a workbook, which is already compressed".to_owned(), "use the extension .xlsx".to_owned());
    }
    if spec.format == Format::Atom && (spec.what != ExportKind::New || spec.is_incremental() || !spec.by_topic()) {
        let hint = "write what = \"new\", mode = \"full\" and {topic} in the path";
        fault("format", "is a feed, which holds all new items of one topic".to_owned(), hint.to_owned());
    }
    if spec.is_incremental() {
        if !spec.what.is_append_only() {
            let grow: Vec<&str> =
                ExportKind::ALL.iter().filter(|what| what.is_append_only()).map(|what| what.as_str()).collect();
            let hint = format!("write mode = \"full\"; only {} are append-only", grow.join(", "));
            fault("mode", format!("cannot be \"incremental\": rows of {} change later", spec.what), hint);
        }
        if !spec.path.contains("{run}") {
            let hint = "add {run}: each file continues where the last one ended, and none may overwrite another";
            fault("path", "has no {run}".to_owned(), hint.to_owned());
        }
        if spec.since_ms.is_some() {
            let hint = "remove it: the cursor determines where the next file starts";
            fault("since", "does not apply to an incremental export".to_owned(), hint.to_owned());
        }
    }
    let order = spec.order(Time(0), SeqRange { since: 0, until: 0 }, None);
    if let Some((part, takers)) = spec.what.first_unsupported(&order.filter, spec.filtered != FilterMode::Keep) {
        let takers: Vec<&str> = takers.iter().map(|what| what.as_str()).collect();
        let hint = format!("remove it, or export {}", takers.join(", "));
        fault(key_of(part), format!("does not apply to {}", spec.what), hint);
    }
    good
}

/// Returns the key with which a part of a filter is written.
fn key_of(part: ExportFilter) -> &'static str {
    match part {
        ExportFilter::Tag => "tags",
        ExportFilter::Source => "sources",
        ExportFilter::Tone => "tones",
        ExportFilter::Author => "authors",
        ExportFilter::Search => "search",
        ExportFilter::Filtered => "filtered",
        _ => "since",
    }
}

/// Reads words to search for.
fn words_searched(value: &Value) -> Result<String, Fault> {
    let typed = text(value)?;
    match parse_query(&typed) {
        Ok(_) => Ok(typed),
        Err(unclear) => Err(Fault::new(
            format!("is not a valid search: {unclear}"),
            "write words, \"a phrase\", prefix*, -not, as for `topicwatch items --search`",
        )),
    }
}

/// Reads a path with the ending of a format.
fn path(value: &Value) -> Result<String, Fault> {
    const EXAMPLE: &str = "exports/{name}-{date}.csv";
    let path = paths::template(value, &["name", "date", "topic", "run"], EXAMPLE)?;
    if Format::of_name(&path).is_none() {
        let endings: Vec<String> = Format::ALL.iter().map(|format| format!(".{format}")).collect();
        return Err(Fault::new(
            "does not have the file extension of a format",
            format!("use one of {}", endings.join(", ")),
        ));
    }
    Ok(path)
}

/// Reads words of a closed list, each once.
pub(in crate::config) fn words<T: Copy + std::fmt::Display>(
    value: &Value,
    parse: fn(&str) -> Option<T>,
    all: &[T],
) -> Result<Vec<T>, Fault> {
    let names: Vec<String> = all.iter().map(ToString::to_string).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let words = texts(value, all.len(), 64)?;
    words.iter().map(|word| parse(word).ok_or_else(|| unknown_word(word, &names))).collect()
}

fn unknown_word(word: &str, names: &[&str]) -> Fault {
    Fault::new(format!("cannot contain {word:?}"), format!("it may contain {}", names.join(", ")))
}
