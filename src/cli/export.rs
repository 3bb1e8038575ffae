//! `export`: rows in one of the formats, to stdout or into a file that is replaced as a whole.

use std::io::IsTerminal as _;
use std::path::Path;

use super::args::{Common, ExportArgs};
use super::context::{Context, instant};
use super::progress::Rows;
use super::{Exit, Failure, diff, output, search};
use crate::compare::{Filtered, Hiding, Since};
use crate::export::{self, Format, Order, Packed, Part, Profile, What};
use crate::files::Replacement;
use crate::model::{Between, Source, Time, Tone};
use crate::store::{Filter, Store};

pub(super) async fn run(common: &Common, args: &ExportArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    if let Some(file) = &args.verify {
        return super::verify::run(&context, file).await;
    }
    let mut order = order(args, (context.clock)())?;
    let packed = args.out.file_name().and_then(|name| name.to_str()).is_some_and(|name| export::unpacked_name(name).1);
    fits(args, &order, packed)?;
    let filtered = Filtered::parse(&args.filtered).unwrap_or(Filtered::Keep);
    let what = order.what;
    if let Some((part, takers)) = what.refuses(&order.filter, filtered != Filtered::Keep) {
        return Err(refused(what, part, &takers));
    }
    if args.timezone.is_some() && what != What::Daily {
        return Err(Failure::usage(format!("--timezone means nothing for {what}"), "leave it out, or export daily"));
    }
    let store = context.store(false).await?;
    known(&context, &store, &args.topic).await?;
    if what == What::Changes {
        begin(&context, &store, args, &mut order).await?;
    }
    if order.filter.words.is_some() {
        search::index(&store, common.quiet).await?;
    }
    let mut hiding = Hiding::of(&store, &args.topic, filtered).await?;
    let invented = store.nature().await? == Some(crate::store::Nature::Sandbox);
    // Rows on a terminal are their own progress.
    let seen = args.out == Path::new("-") && std::io::stdout().is_terminal();
    let mut progress = Rows::watched(common.quiet || seen);
    let (rows, cut) = if args.out == Path::new("-") {
        let out = std::io::stdout();
        let written = export::write_watched(&store, &order, &mut hiding, out, &mut |rows| progress.tell(rows)).await?;
        (written.rows, written.cut)
    } else {
        let unwritable = |error: std::io::Error| {
            Failure::new(
                Exit::Output,
                format!("{} could not be written: {error}", output::visible(&args.out.display().to_string())),
                "does the folder exist, is there room, and may this user write there? a file that was there before is intact",
            )
        };
        let file = Packed::new(Replacement::create(&args.out).map_err(unwritable)?, packed);
        let written = export::write_watched(&store, &order, &mut hiding, file, &mut |rows| progress.tell(rows)).await;
        let written = match written {
            Ok(written) => written,
            Err(export::ExportError::Output(error)) => return Err(unwritable(error)),
            Err(error) => return Err(error.into()),
        };
        written.out.finish().and_then(Replacement::commit).map_err(unwritable)?;
        (written.rows, written.cut)
    };
    progress.end();
    store.close().await;
    if !common.quiet {
        let to = if args.out == Path::new("-") {
            String::new()
        } else {
            format!(" to {}", output::visible(&args.out.display().to_string()))
        };
        let hidden = if hiding.any() && what.takes().contains(&Part::Filtered) {
            format!(", {} filtered ({})", hiding.hidden(), hiding.mode())
        } else {
            String::new()
        };
        let cells = if cut == 1 { "cell" } else { "cells" };
        let cut = if cut > 0 { format!(", {cut} {cells} cut to 32767 characters") } else { String::new() };
        let what = if order.format == Format::Atom { "entries" } else { what.as_str() };
        output::note(&format!("{}{rows} {what} written{to}{hidden}{cut}", if invented { "SANDBOX: " } else { "" }));
    }
    Ok(Exit::Ok)
}

/// What was asked for. clap has checked words against the same lists.
fn order(args: &ExportArgs, now: Time) -> Result<Order, Failure> {
    let named = args.out.file_name().and_then(|name| Format::of_name(name.to_str()?));
    let timezone = args.timezone.clone().unwrap_or_else(|| "UTC".into());
    crate::schedule::check_zone(&timezone)
        .map_err(|refused| Failure::usage(format!("--timezone: {}", refused.message), refused.hint))?;
    let format = args.format.as_deref().and_then(Format::parse).or(named).unwrap_or(Format::Csv);
    let what = What::parse(&args.what).unwrap_or(What::Items);
    // Items of a feed are new ones.
    let what = if format == Format::Atom && what == What::Items { What::New } else { what };
    // What `changes` begins with may be a run of each topic: `begin` reads it.
    let instant = |flag: &str, given: &Option<String>| match given.as_deref() {
        Some(_) if what == What::Changes && flag != "--until" => Ok(None),
        given => instant(flag, given, now),
    };
    Ok(Order {
        timezone,
        format,
        profile: Profile::parse(&args.profile).unwrap_or(Profile::Machine),
        filter: Filter {
            topics: args.topic.clone(),
            tags: args.tag.clone(),
            sources: args.source.iter().filter_map(|source| Source::parse(source)).collect(),
            since: instant("--since", &args.since)?,
            until: instant("--until", &args.until)?,
            tones: args.tone.iter().filter_map(|tone| Tone::parse(tone)).collect(),
            authors: args.author.iter().map(|handle| handle.trim_start_matches('@').to_owned()).collect(),
            new_since: instant("--new-since", &args.new_since)?,
            words: args.search.as_deref().map(search::wanted).transpose()?,
            seq: args.seq.as_deref().map(stretch).transpose()?,
        },
        ..Order::all(what)
    })
}

/// With which run the changes of each topic begin, as `diff --since` reads it.
async fn begin(context: &Context, store: &Store, args: &ExportArgs, order: &mut Order) -> Result<(), Failure> {
    let named = match (&args.since, &args.new_since) {
        (Some(_), Some(_)) => {
            return Err(Failure::usage("--since and --new-since are the same for changes", "say one of them"));
        }
        (since, new_since) => since.as_deref().or(new_since.as_deref()),
    };
    let Some(named) = named else { return Ok(()) };
    for topic in store.watched(&order.filter.topics).await?.into_iter().filter_map(|watched| watched.definition) {
        if !order.filter.tags.is_empty() && !topic.tags.iter().any(|tag| order.filter.tags.contains(tag)) {
            continue;
        }
        match diff::since(context, store, &topic, Some(named)).await? {
            Since::Run(seq) => drop(order.since_runs.insert(topic.id, seq)),
            Since::Instant(at) => order.filter.since = Some(at),
            Since::TheRunBefore => {}
        }
    }
    Ok(())
}

/// Refuses what a format cannot be of.
fn fits(args: &ExportArgs, order: &Order, packed: bool) -> Result<(), Failure> {
    if order.format == Format::Xlsx && packed {
        return Err(Failure::usage(
            format!("{} is packed already when it is a workbook", output::visible(&args.out.display().to_string())),
            "let its name end in .xlsx",
        ));
    }
    if order.format != Format::Atom {
        return Ok(());
    }
    if order.what != What::New {
        return Err(Failure::usage(
            format!("a feed is of new items, not of {}", order.what),
            "leave --what out, or write csv, jsonl or xlsx",
        ));
    }
    if args.topic.len() != 1 {
        return Err(Failure::usage("a feed is of one topic", "--topic ID names it; another topic is another feed"));
    }
    Ok(())
}

/// `120..180`.
fn stretch(text: &str) -> Result<Between, Failure> {
    let numbers = text.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    match numbers {
        Some((since, until)) if since <= until => Ok(Between { since, until }),
        _ => Err(Failure::usage(
            format!("--seq: `{}` is no stretch of numbers", output::brief(text, 60)),
            "write 120..180 for the runs 121 to 180; 0..180 begins with the first",
        )),
    }
}

fn refused(what: What, part: Part, takers: &[What]) -> Failure {
    let takers: Vec<&str> = takers.iter().map(|what| what.as_str()).collect();
    Failure::usage(
        format!("{part} means nothing for {what}"),
        format!("leave it out, or export {}; docs/exports.md has the table", takers.join(", ")),
    )
}

/// Refuses topics that neither the configuration nor the database has.
async fn known(context: &Context, store: &Store, named: &[String]) -> Result<(), Failure> {
    let stored = if named.is_empty() { Vec::new() } else { store.watched(named).await? };
    let missing: Vec<String> =
        named.iter().filter(|name| stored.iter().all(|known| known.topic != **name)).cloned().collect();
    context.known(&missing)
}
