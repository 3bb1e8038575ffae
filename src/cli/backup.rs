//! `backup`: a copy of the database in one file, made while others work, read again, and put in place as a whole.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Map, json};

use super::args::Common;
use super::context::Context;
use super::prune::bytes;
use super::{Exit, Failure, output};
use crate::files::Replacement;

/// `backup`
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// File to write, or to replace as a whole
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub(super) async fn run(common: &Common, args: &BackupArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let shown = output::visible(&args.file.display().to_string());
    let unwritable = |error: std::io::Error| {
        Failure::new(
            Exit::Output,
            format!("{shown} could not be written: {error}"),
            "does the folder exist, is there room, and may this user write there? a file that was there before is intact",
        )
    };
    if let Some(used) = in_use(&args.file, context.store_settings(false).url.strip_prefix("sqlite:")) {
        return Err(Failure::usage(format!("{shown} {used}"), "name another file; nothing was changed"));
    }
    let store = context.store(false).await?;
    let file = Replacement::create(&args.file).map_err(unwritable)?;
    // An absolute path, whatever a relative one would mean to a database.
    let path = std::path::absolute(file.path()).map_err(unwritable)?;
    let copied = store.backup_to(&path, (context.clock)()).await;
    let place = output::visible(store.place());
    store.close().await;
    let copied = copied?;
    let size = std::fs::metadata(&path).map_err(unwritable)?.len();
    crate::mishap::at("backup/written");
    file.commit().map_err(unwritable)?;
    let rows: i64 = copied.iter().map(|(_, rows)| rows).sum();
    if args.json {
        let tables: Map<String, serde_json::Value> =
            copied.iter().map(|(table, rows)| ((*table).to_owned(), json!(rows))).collect();
        output::json(&json!({ "file": args.file, "bytes": size, "rows": rows, "tables": tables }))?;
    } else {
        let size = bytes(i64::try_from(size).unwrap_or(i64::MAX));
        output::text(&format!("{rows} rows of {place} in {shown} ({size}), read again and sound\n"))?;
    }
    Ok(Exit::Ok)
}

/// Why a file must not be replaced: it is the database itself, or another that somebody works on.
fn in_use(file: &Path, database: Option<&str>) -> Option<&'static str> {
    let same = |database: &str| {
        let (ours, theirs) = (file.canonicalize(), Path::new(database).canonicalize());
        ours.ok().zip(theirs.ok()).is_some_and(|(ours, theirs)| ours == theirs)
    };
    if database.is_some_and(same) {
        return Some("is the database itself");
    }
    let beside = |ending: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        Path::new(&name).symlink_metadata().is_ok()
    };
    (beside("-wal") || beside("-shm")).then_some("is a database that is in use, or was not closed")
}
