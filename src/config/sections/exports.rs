//! `[[exports]]`: which rows are written where and when, and whether each file continues where the last one ended.

use std::path::Path;
use std::time::Duration;

use super::names_and_paths::{NamesAndPaths, Parsed};
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
use crate::model::{PingSpec, Tone};

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
    let mut names_and_paths = NamesAndPaths::new("export", "the cursor is stored under this name: choose another", dir);
    let mut exports = Vec::with_capacity(document.exports.len());
    for table in &document.exports {
        let tables = [table];
        let reader = Reader { section: Section::Export, tables: &tables };
        let parsed = one(&reader, table, &known, &mut schedules, document.broken, mistakes);
        // Read even if another key is wrong, to find every mistake at once.
        let ping =
            super::pings::read(&reader, &format!("export:{}", parsed.name.as_deref().unwrap_or("export")), mistakes);
        let Some((mut export, path)) = names_and_paths.check(&reader, parsed, mistakes) else { continue };
        pings.extend(ping);
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
) -> Parsed<ExportSpec> {
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
    let authors: Option<Vec<String>> =
        authors.map(|handles| handles.iter().map(|handle| handle.trim_start_matches('@').to_owned()).collect());
    let search = reader.read(mistakes, "search", words_searched);
    let since = reader
        .read(mistakes, "since", |value| duration(value, Duration::from_secs(60), Duration::from_secs(3_660 * 86_400)));
    let written_format = reader.choice(mistakes, "format", Format::parse);
    let written_path = reader.read(mistakes, "path", path);
    let retain = reader.count(mistakes, "retain");
    let scheduled = table.was_written("schedule") || table.was_written("every");
    if let (false, Some(header), false) = (broken, &table.header, scheduled) {
        mistakes.at(header, "this export has no schedule", "write every = \"1d\", or schedule = \"0 6 * * *\"");
    }
    let schedule = schedules.read(reader, mistakes);
    let timezone = reader.value_or_default("timezone").and_then(|setting| text(&setting.value).ok());
    let is_wrong = |key: &str, is_read: bool| !is_read && table.was_written(key);
    let is_path_wrong = is_wrong("path", written_path.is_some());
    let named = written_path.as_deref().and_then(Format::of_name);
    let format = match written_format {
        // Without a format, the path decides; if the format is wrong, only a path that is written.
        None if is_path_wrong || is_wrong("format", false) => named,
        None => Some(named.unwrap_or(Format::Csv)),
        written => written,
    };
    let default_path = || {
        let label = if mode? == Mode::Incremental { "run" } else { "date" };
        format.map(|format| format!("exports/{{name}}-{{{label}}}.{format}"))
    };
    let path = if is_path_wrong { None } else { written_path.or_else(default_path) };
    let since_ms = since.and_then(|since| u64::try_from(since.as_millis()).ok());
    let filters = [
        (ExportFilter::Tag, tags.as_ref().is_some_and(|tags| !tags.is_empty())),
        (ExportFilter::Source, sources.as_ref().is_some_and(|sources| !sources.is_empty())),
        (ExportFilter::Time, since_ms.is_some()),
        (ExportFilter::Tone, tones.as_ref().is_some_and(|tones| !tones.is_empty())),
        (ExportFilter::Author, authors.as_ref().is_some_and(|authors| !authors.is_empty())),
        (ExportFilter::Search, search.is_some()),
        (ExportFilter::Filtered, filtered.is_some_and(|filtered| filtered != FilterMode::Keep)),
    ];
    let parts = Parts {
        what,
        mode,
        format,
        named,
        profile,
        path: path.as_deref(),
        filters: filters.into_iter().filter(|(_, is_used)| *is_used).map(|(filter, _)| filter).collect(),
    };
    let fits = check_combination(parts, reader, mistakes);
    let wrong = is_wrong("format", written_format.is_some())
        || is_wrong("search", search.is_some())
        || is_wrong("since", since.is_some())
        || is_wrong("retain", retain.is_some());
    let export = || {
        Some(ExportSpec {
            name: name.clone()?,
            what: what?,
            format: format?,
            profile: profile?,
            mode: mode?,
            topics: topics?,
            tags: tags?,
            sources: sources?,
            tones: tones?,
            authors: authors?,
            search,
            filtered: filtered?,
            since_ms,
            schedule: schedule?,
            timezone: timezone?,
            path: path.clone()?,
            retain,
        })
    };
    let spec = export().filter(|_| fits && !wrong);
    Parsed { name, path, spec }
}

/// The parts of an export that have to fit together. One that is wrong by itself is missing: it was reported.
struct Parts<'p> {
    what: Option<ExportKind>,
    mode: Option<Mode>,
    format: Option<Format>,
    /// The format that the path names.
    named: Option<Format>,
    profile: Option<Profile>,
    path: Option<&'p str>,
    /// The filters in use.
    filters: Vec<ExportFilter>,
}

/// Returns whether the parts of an export fit together. Each that does not is reported where it is written.
fn check_combination(parts: Parts<'_>, reader: &Reader<'_>, mistakes: &mut Mistakes<'_>) -> bool {
    let Parts { what, mode, format, named, profile, path, filters } = parts;
    let mut good = true;
    let mut fault = |key: &str, message: String, hint: String| {
        good = false;
        // The path may decide the format, and the name may be missing.
        let elsewhere = || reader.value_or_default("name").or_else(|| reader.value_or_default("path"));
        if let Some(setting) = reader.value_or_default(key).or_else(elsewhere) {
            mistakes.fault(key, &setting.origin, Fault::new(message, hint));
        }
    };
    let is_incremental = mode == Some(Mode::Incremental);
    if let (Some(Profile::Excel), Some(format)) = (profile, format)
        && format != Format::Csv
    {
        let hint = "remove it, or set format = \"csv\"";
        fault("profile", format!("\"excel\" works only with csv, not with {format}"), hint.to_owned());
    }
    if let (Some(named), Some(format)) = (named, format)
        && named != format
    {
        let message = format!("does not have the file extension of {format}");
        fault("path", message, format!("use the extension .{format}"));
    }
    if format == Some(Format::Xlsx) && path.is_some_and(|path| strip_gz(path).1) {
        fault("path", "names a workbook, which is already compressed".to_owned(), "use the extension .xlsx".to_owned());
    }
    let is_of_all = path.is_some_and(|path| !path.contains("{topic}"));
    if format == Some(Format::Atom) && (what.is_some_and(|what| what != ExportKind::New) || is_incremental || is_of_all)
    {
        let hint = "write what = \"new\", mode = \"full\" and {topic} in the path";
        fault("format", "is a feed, which holds all new items of one topic".to_owned(), hint.to_owned());
    }
    if is_incremental {
        if let Some(what) = what
            && !what.is_append_only()
        {
            let grow: Vec<&str> =
                ExportKind::ALL.iter().filter(|what| what.is_append_only()).map(|what| what.as_str()).collect();
            let hint = format!("write mode = \"full\"; only {} are append-only", grow.join(", "));
            fault("mode", format!("cannot be \"incremental\": rows of {what} change later"), hint);
        }
        if path.is_some_and(|path| !path.contains("{run}")) {
            let hint = "add {run}: each file continues where the last one ended, and none may overwrite another";
            fault("path", "has no {run}".to_owned(), hint.to_owned());
        }
        if filters.contains(&ExportFilter::Time) {
            let hint = "remove it: the cursor determines where the next file starts";
            fault("since", "does not apply to an incremental export".to_owned(), hint.to_owned());
        }
    }
    if let Some(what) = what {
        for filter in filters.into_iter().filter(|filter| !what.supported_filters().contains(filter)) {
            let takers: Vec<&str> = ExportKind::taking(filter).into_iter().map(ExportKind::as_str).collect();
            let hint = format!("remove it, or export {}", takers.join(", "));
            fault(key_of(filter), format!("does not apply to {what}"), hint);
        }
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
