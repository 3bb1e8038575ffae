//! `export`: rows as CSV, to stdout or into a file that is replaced as a whole.

use std::path::Path;

use super::args::{Common, ExportArgs};
use super::context::{Context, instant};
use super::{Exit, Failure, output, search};
use crate::compare::{Filtered, Hiding};
use crate::export::{self, Profile, What};
use crate::files::Replacement;
use crate::store::Filter;

pub(super) async fn run(common: &Common, args: &ExportArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let now = (context.clock)();
    let filter = Filter {
        topics: args.topic.clone(),
        since: instant("--since", args.since.as_deref(), now)?,
        until: instant("--until", args.until.as_deref(), now)?,
        words: args.search.as_deref().map(search::wanted).transpose()?,
    };
    // clap has checked both against the same lists.
    let what = What::parse(&args.what).unwrap_or(What::Items);
    if filter.words.is_some() && !matches!(what, What::Items | What::Sightings) {
        return Err(Failure::usage(
            format!("--search looks for items, and {what} are none"),
            "export items or sightings, or leave it out",
        ));
    }
    let profile = Profile::parse(&args.profile).unwrap_or(Profile::Machine);
    let store = context.store(false).await?;
    if filter.words.is_some() {
        search::index(&store, common.quiet).await?;
    }
    let mut hiding = Hiding::of(&store, &args.topic, Filtered::parse(&args.filtered).unwrap_or(Filtered::Keep)).await?;
    let invented = store.nature().await? == Some(crate::store::Nature::Sandbox);
    let rows = if args.out == Path::new("-") {
        export::write(&store, what, profile, &filter, &mut hiding, std::io::stdout()).await?.1
    } else {
        let unwritable = |error: std::io::Error| {
            Failure::new(
                Exit::Output,
                format!("{} could not be written: {error}", output::visible(&args.out.display().to_string())),
                "does the folder exist, is there room, and may this user write there? a file that was there before is intact",
            )
        };
        let file = Replacement::create(&args.out).map_err(unwritable)?;
        let (file, rows) = match export::write(&store, what, profile, &filter, &mut hiding, file).await {
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
        let hidden = if hiding.any() && matches!(what, What::Items | What::Sightings) {
            format!(", {} filtered ({})", hiding.hidden(), hiding.mode())
        } else {
            String::new()
        };
        output::note(&format!("{}{rows} {what} written{to}{hidden}", if invented { "SANDBOX: " } else { "" }));
    }
    Ok(Exit::Ok)
}
