//! `export`: rows as CSV or JSON Lines, to stdout or into a file that is replaced as a whole.

use std::path::Path;

use super::args::{Common, ExportArgs};
use super::context::{Context, instant};
use super::{Exit, Failure, output};
use crate::compare::{Filtered, Hiding};
use crate::export::{self, Format, Order, Part, Profile, What};
use crate::files::Replacement;
use crate::model::{Between, Source, Time, Tone};
use crate::store::{Filter, Store};

pub(super) async fn run(common: &Common, args: &ExportArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let order = order(args, (context.clock)())?;
    let filtered = Filtered::parse(&args.filtered).unwrap_or(Filtered::Keep);
    let what = order.what;
    if let Some((part, takers)) = what.refuses(&order.filter, filtered != Filtered::Keep) {
        return Err(refused(what, part, &takers));
    }
    let store = context.store(false).await?;
    known(&context, &store, &args.topic).await?;
    let mut hiding = Hiding::of(&store, &args.topic, filtered).await?;
    let invented = store.nature().await? == Some(crate::store::Nature::Sandbox);
    let rows = if args.out == Path::new("-") {
        export::write(&store, &order, &mut hiding, std::io::stdout()).await?.1
    } else {
        let unwritable = |error: std::io::Error| {
            Failure::new(
                Exit::Output,
                format!("{} could not be written: {error}", output::visible(&args.out.display().to_string())),
                "does the folder exist, is there room, and may this user write there? a file that was there before is intact",
            )
        };
        let file = Replacement::create(&args.out).map_err(unwritable)?;
        let (file, rows) = match export::write(&store, &order, &mut hiding, file).await {
            Ok(written) => written,
            Err(export::ExportError::Output(error)) => return Err(unwritable(error)),
            Err(error) => return Err(error.into()),
        };
        file.commit().map_err(unwritable)?;
        rows
    };
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
        output::note(&format!("{}{rows} {what} written{to}{hidden}", if invented { "SANDBOX: " } else { "" }));
    }
    Ok(Exit::Ok)
}

/// What was asked for. clap has checked words against the same lists.
fn order(args: &ExportArgs, now: Time) -> Result<Order, Failure> {
    let named = args.out.file_name().and_then(|name| Format::of_name(name.to_str()?));
    Ok(Order {
        what: What::parse(&args.what).unwrap_or(What::Items),
        format: args.format.as_deref().and_then(Format::parse).or(named).unwrap_or(Format::Csv),
        profile: Profile::parse(&args.profile).unwrap_or(Profile::Machine),
        filter: Filter {
            topics: args.topic.clone(),
            tags: args.tag.clone(),
            sources: args.source.iter().filter_map(|source| Source::parse(source)).collect(),
            since: instant("--since", args.since.as_deref(), now)?,
            until: instant("--until", args.until.as_deref(), now)?,
            tones: args.tone.iter().filter_map(|tone| Tone::parse(tone)).collect(),
            authors: args.author.iter().map(|handle| handle.trim_start_matches('@').to_owned()).collect(),
            new_since: instant("--new-since", args.new_since.as_deref(), now)?,
            seq: args.seq.as_deref().map(stretch).transpose()?,
        },
    })
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
