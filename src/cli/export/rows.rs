//! `export`: writes rows to stdout, or to a file that is replaced when it is complete.

use std::path::PathBuf;

use std::io::IsTerminal as _;
use std::path::Path;

use clap::Args;

use crate::cli::export::verify;
use crate::cli::look::diff;
use crate::cli::look::items::search;
use crate::cli::look::no_match::empty_list;
use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::terminal::progress::RowProgress;
use crate::cli::wiring::check_names::{check_tags, check_topics};
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::{Common, source_name};
use crate::compare::{FilterMode, RowFilter};
use crate::export::{self, ExportFilter, ExportKind, ExportOptions, ExportRequest, Format, MaybeGzip, Profile};
use crate::files::Replacement;
use crate::model::{Kind, Mark, Source, Time, Tone};

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Which rows
    #[arg(long, value_name = "WHAT", default_value = "items", value_parser = ["items", "sightings", "new", "runs", "searches", "answers", "daily", "changes", "terms"])]
    pub what: String,
    /// Format [default: from the extension of --out, else csv]; atom is a feed of one topic's new items
    #[arg(long, value_name = "FORMAT", value_parser = ["csv", "jsonl", "xlsx", "atom"])]
    pub format: Option<String>,
    /// CSV for programs (RFC 4180), or for spreadsheets (byte order mark, ids as text, formulas escaped)
    #[arg(long, value_name = "PROFILE", default_value = "machine", value_parser = ["machine", "excel"])]
    pub profile: String,
    /// Only this topic (repeat for more)
    #[arg(long, value_name = "ID")]
    pub topic: Vec<String>,
    /// Only topics with this tag (repeat for more)
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Only what this source found (repeat for more)
    #[arg(long, value_name = "SOURCE", value_parser = source_name)]
    pub source: Vec<Source>,
    /// At or after: 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d ago; for changes also a run, or `last-report`
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Before (same forms)
    #[arg(long, value_name = "TIME")]
    pub until: Option<String>,
    /// Only items with this tone (repeat for more)
    #[arg(long, value_name = "TONE", value_parser = ["negative", "neutral", "positive"])]
    pub tone: Vec<String>,
    /// Only items first seen at or after this time, and then within their topic's window
    #[arg(long, value_name = "TIME")]
    pub new_since: Option<String>,
    /// Only items by this handle (repeat for more)
    #[arg(long, value_name = "HANDLE")]
    pub author: Vec<String>,
    /// Only items with these words: all of them, "a phrase", prefix*, -not
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    pub search: Option<String>,
    /// Only runs numbered above A and up to B (`seq` in the views), in that order
    #[arg(long, value_name = "A..B")]
    pub seq: Option<String>,
    /// Time zone of the days of `daily` [default: UTC]
    #[arg(long, value_name = "ZONE")]
    pub timezone: Option<String>,
    /// Rows hidden by their topic's filter: keep them, hide them, or show only them
    #[arg(long, value_name = "WHAT", default_value = "keep", value_parser = ["keep", "hide", "only"])]
    pub filtered: String,
    /// Only posts, or only pages
    #[arg(long, value_name = "KIND", value_parser = ["post", "page"])]
    pub kind: Vec<String>,
    /// Only items in this language: en, pt-BR (repeat for more)
    #[arg(long, value_name = "TAG")]
    pub lang: Vec<String>,
    /// Only items with this mark in their topic
    #[arg(long, value_name = "MARK", value_parser = ["good", "noise"])]
    pub marked: Vec<String>,
    /// Only items with a star
    #[arg(long)]
    pub starred: bool,
    /// Only items with a note
    #[arg(long)]
    pub noted: bool,
    /// File to write (compressed if it ends in .gz), or - for stdout; its extension sets the format
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub out: PathBuf,
    /// Verify a file of [[exports]] against its manifest and the database; writes nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "what", "format", "profile", "topic", "tag", "source", "since", "until", "tone", "new_since", "author", "search", "seq",
        "timezone", "filtered", "kind", "lang", "marked", "starred", "noted", "out",
    ])]
    pub verify: Option<PathBuf>,
}

pub(in crate::cli) async fn run(common: &Common, args: &ExportArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    if let Some(file) = &args.verify {
        return verify::run(&context, file).await;
    }
    let mut order = build_order(args, (context.clock)())?;
    let to_terminal = args.out == Path::new("-") && std::io::stdout().is_terminal();
    fits_terminal(order.format, to_terminal)?;
    let is_gzip = args.out.file_name().and_then(|name| name.to_str()).is_some_and(|name| export::strip_gz(name).1);
    check_format(args, &order, is_gzip)?;
    let filtered = FilterMode::parse(&args.filtered).unwrap_or(FilterMode::Keep);
    let what = order.what;
    let store = context.store_to_read().await?;
    check_topics(&context, &store, &args.topic).await?;
    check_tags(&context, &store, &args.tag).await?;
    context.check_sources(&args.source, &store.searched_sources().await?)?;
    if let Some(named) = args.since.as_deref().or(args.new_since.as_deref()).filter(|_| what == ExportKind::Changes) {
        let begun = order.set_start(&store, named, (context.clock)(), &context.config.reports).await;
        let option = if args.since.is_some() { "--since" } else { "--new-since" };
        begun.map_err(|error| diff::start_not_found(error, option, named))?;
    }
    if order.filter.words.is_some() {
        search::index_pending(&store, common.quiet).await?;
    }
    let mut hiding = RowFilter::of(&store, &args.topic, filtered).await?;
    let invented = store.is_sandbox().await?;
    // Rows printed to a terminal need no progress line.
    let mut progress = RowProgress::new(common.quiet || to_terminal);
    let (rows, cut) = if args.out == Path::new("-") {
        let mut out = std::io::stdout();
        let mut update = |rows| progress.update(rows);
        let written = export::write_watched(&store, &order, &mut hiding, &mut out, &mut update).await?;
        (written.rows, written.cut)
    } else {
        let unwritable = |error: std::io::Error| Failure::unwritable(&args.out, &error);
        let file = Replacement::create(&args.out, &context.protected()).map_err(unwritable)?;
        let mut file = MaybeGzip::new(file, is_gzip).map_err(unwritable)?;
        let mut update = |rows| progress.update(rows);
        let written = export::write_watched(&store, &order, &mut hiding, &mut file, &mut update).await;
        let written = match written {
            Ok(written) => written,
            Err(export::ExportError::Output(error)) => return Err(unwritable(error)),
            Err(error) => return Err(error.into()),
        };
        file.finish().and_then(Replacement::commit).map_err(unwritable)?;
        (written.rows, written.cut)
    };
    progress.end();
    store.close().await;
    if !common.quiet {
        let to = if args.out == Path::new("-") {
            String::new()
        } else {
            format!(" to {}", output::escape_control(&args.out.display().to_string()))
        };
        let hidden = if hiding.has_filters() && what.supported_filters().contains(&ExportFilter::Filtered) {
            format!(", {} filtered ({})", hiding.hidden_count(), hiding.mode())
        } else {
            String::new()
        };
        let cells = if cut == 1 { "cell" } else { "cells" };
        let cut = if cut > 0 { format!(", {cut} {cells} cut to 32767 characters") } else { String::new() };
        let what = count_rows(order.what, order.format, rows);
        let line = format!("{}{what} written{to}{hidden}{cut}", if invented { "SANDBOX: " } else { "" });
        let line = if rows == 0 { empty_list(&line, &filters_in_use(args, order.format)) } else { line };
        output::print_stderr(line.trim_end());
    }
    Ok(Exit::Ok)
}

/// Returns each option that leaves rows out, and whether it was given. A feed needs its topic.
fn filters_in_use(args: &ExportArgs, format: Format) -> [(&'static str, bool); 17] {
    [
        ("--topic", !args.topic.is_empty() && format != Format::Atom),
        ("--tag", !args.tag.is_empty()),
        ("--source", !args.source.is_empty()),
        ("--since", args.since.is_some()),
        ("--until", args.until.is_some()),
        ("--tone", !args.tone.is_empty()),
        ("--new-since", args.new_since.is_some()),
        ("--author", !args.author.is_empty()),
        ("--search", args.search.is_some()),
        ("--seq", args.seq.is_some()),
        ("--filtered hide", args.filtered == "hide"),
        ("--filtered only", args.filtered == "only"),
        ("--kind", !args.kind.is_empty()),
        ("--lang", !args.lang.is_empty()),
        ("--marked", !args.marked.is_empty()),
        ("--starred", args.starred),
        ("--noted", args.noted),
    ]
}

/// Counts rows with their noun: `464 items`, `1 answer`, `618 new items`.
fn count_rows(what: ExportKind, format: Format, rows: u64) -> String {
    let (one, many) = match what {
        _ if format == Format::Atom => ("entry", "entries"),
        ExportKind::Items => ("item", "items"),
        ExportKind::Sightings => ("sighting", "sightings"),
        ExportKind::Answers => ("answer", "answers"),
        ExportKind::Runs => ("run", "runs"),
        ExportKind::Searches => ("search", "searches"),
        ExportKind::New => ("new item", "new items"),
        ExportKind::Changes => ("change", "changes"),
        ExportKind::Daily => ("daily row", "daily rows"),
        ExportKind::Terms => ("term", "terms"),
    };
    format!("{rows} {}", if rows == 1 { one } else { many })
}

/// Builds the order from the arguments. clap has already checked words against the same lists.
fn build_order(args: &ExportArgs, now: Time) -> Result<ExportOptions, Failure> {
    let named = args.out.file_name().and_then(|name| Format::of_name(name.to_str()?));
    // A path that is not a regular file is rejected later, when it is opened, with a better message.
    let is_file = args.out.metadata().map_or(true, |metadata| metadata.is_file());
    if args.format.is_none() && named.is_none() && args.out != Path::new("-") && is_file {
        let endings: Vec<String> = Format::ALL.iter().map(|format| format!(".{format}")).collect();
        return Err(Failure::usage(
            format!("--out: {} has no known extension", output::escape_control(&args.out.display().to_string())),
            format!("use one of {}, or set --format", endings.join(", ")),
        ));
    }
    let format = args.format.as_deref().and_then(Format::parse).or(named).unwrap_or(Format::Csv);
    let what = ExportKind::parse(&args.what).unwrap_or(ExportKind::Items);
    // A feed contains only new items.
    let what = if format == Format::Atom && what == ExportKind::Items { ExportKind::New } else { what };
    let request = ExportRequest {
        what,
        format,
        profile: Profile::parse(&args.profile).unwrap_or(Profile::Machine),
        topics: &args.topic,
        tags: &args.tag,
        sources: args.source.clone(),
        since: args.since.as_deref(),
        until: args.until.as_deref(),
        tones: args.tone.iter().filter_map(|tone| Tone::parse(tone)).collect(),
        new_since: args.new_since.as_deref(),
        authors: &args.author,
        words: args.search.as_deref().map(search::parse_search).transpose()?,
        seq: args.seq.as_deref(),
        timezone: args.timezone.as_deref(),
        filtered: FilterMode::parse(&args.filtered).unwrap_or(FilterMode::Keep),
        kinds: args.kind.iter().filter_map(|kind| Kind::parse(kind)).collect(),
        languages: &args.lang,
        marks: args.marked.iter().filter_map(|mark| Mark::parse(mark)).collect(),
        starred: args.starred,
        noted: args.noted,
    };
    request.parse(now).map_err(|unfit| {
        let text = match &unfit.given {
            Some(given) => format!("{}: `{}` {}", unfit.option, output::truncate(given, 60), unfit.why),
            None => format!("{}{}", unfit.option, unfit.why),
        };
        Failure::usage(text, unfit.hint)
    })
}

/// Rejects a format that no terminal can show.
fn fits_terminal(format: Format, to_terminal: bool) -> Result<(), Failure> {
    if to_terminal && format == Format::Xlsx {
        return Err(Failure::usage("a workbook cannot be shown on a terminal", "write it to a file: --out FILE.xlsx"));
    }
    Ok(())
}

/// Rejects options that do not fit the format.
fn check_format(args: &ExportArgs, order: &ExportOptions, is_gzip: bool) -> Result<(), Failure> {
    if order.format == Format::Xlsx && is_gzip {
        return Err(Failure::usage(
            format!("{}: a workbook is already compressed", output::escape_control(&args.out.display().to_string())),
            "use a name that ends in .xlsx",
        ));
    }
    if args.profile == Profile::Excel.as_str() && order.format != Format::Csv {
        return Err(Failure::usage(
            format!("the profile excel works only with csv, not with {}", order.format),
            "remove --profile, or set --format csv",
        ));
    }
    if order.format != Format::Atom {
        return Ok(());
    }
    if order.what != ExportKind::New {
        return Err(Failure::usage(
            format!("a feed contains new items, not {}", order.what),
            "remove --what, or export csv, jsonl or xlsx",
        ));
    }
    if args.topic.len() != 1 {
        return Err(Failure::usage("a feed covers one topic", "set --topic ID once; write a feed per topic"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workbook_is_never_printed_on_a_terminal() {
        for format in Format::ALL.iter().copied() {
            assert_eq!(fits_terminal(format, true).is_err(), format == Format::Xlsx);
            assert!(fits_terminal(format, false).is_ok());
        }
    }
}
