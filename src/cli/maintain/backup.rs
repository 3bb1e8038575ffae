//! `db backup`: copies the live database into one file, verifies the copy, and only then replaces the file.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Map, json};

use crate::cli::terminal::failure::{Exit, Failure, TAKEN};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::cli::wiring::options::Common;
use crate::files::Replacement;
use crate::store::StoreErrorKind;

#[derive(Debug, Args)]
pub struct BackupArgs {
    /// File to write; an older backup of the same database is replaced
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

pub(in crate::cli) async fn run(common: &Common, args: &BackupArgs) -> Result<Exit, Failure> {
    let context = Context::load(common, None)?;
    let display_path = output::escape_control(&args.file.display().to_string());
    let unwritable = |error: std::io::Error| {
        let failure = Failure::unwritable(&args.file, &error);
        // Others can write to stdout instead.
        let refused = error.kind() == std::io::ErrorKind::InvalidInput && failure.exit == Exit::Output;
        if refused { Failure { hint: "choose a file in another folder".to_owned(), ..failure } } else { failure }
    };
    if is_stream(&args.file) {
        return Err(Failure::usage(
            "a backup cannot be written to a stream: it is verified before it is moved into place",
            "write a file, such as topicwatch-backup.db, and send that",
        ));
    }
    let path_taken = |why: String| Failure::usage(format!("{display_path} could not be written: {why}"), TAKEN);
    let protected = context.protected().allow_other_databases();
    protected.check(&args.file).map_err(|why| path_taken(why.to_string()))?;
    in_use(&args.file).map_or(Ok(()), |why| Err(path_taken(why)))?;
    let store = context.store_to_read().await?;
    if let Some(why) = store.copy_mismatch(&args.file).await? {
        store.close().await;
        let hint =
            "a backup replaces only an older one of the same database: choose another file, or remove this one first";
        return Err(Failure::usage(format!("{display_path} could not be written: {why}"), hint));
    }
    let file = Replacement::create(&args.file, &protected).map_err(unwritable)?;
    // The database might resolve a relative path differently.
    let path = std::path::absolute(file.path()).map_err(unwritable)?;
    let copied = store.backup_to(&path, (context.clock)()).await;
    let place = output::escape_control(store.location());
    store.close().await;
    let copied = copied.map_err(|error| {
        // Nothing else is written.
        let is_unwritten = error.kind == StoreErrorKind::Unwritable;
        let failure = Failure::from(error);
        if !is_unwritten {
            return failure;
        }
        let text = format!("{display_path} could not be written: {}", failure.text);
        Failure { exit: Exit::Output, text, ..failure }
    })?;
    let size = std::fs::metadata(&path).map_err(unwritable)?.len();
    crate::failpoint::at("backup/written");
    file.commit().map_err(unwritable)?;
    let rows: i64 = copied.iter().map(|(_, rows)| rows).sum();
    if args.json {
        let tables: Map<String, serde_json::Value> =
            copied.iter().map(|(table, rows)| ((*table).to_owned(), json!(rows))).collect();
        output::json(&json!({ "file": args.file, "bytes": size, "rows": rows, "tables": tables }))?;
    } else {
        let size = output::bytes(i64::try_from(size).unwrap_or(i64::MAX));
        output::text(&format!("{rows} rows copied from {place} to {display_path} ({size}); copy verified\n"))?;
    }
    Ok(Exit::Ok)
}

/// Whether the path is stdout, a pipe or a device.
fn is_stream(file: &Path) -> bool {
    file == Path::new("-") || file.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Returns why the file is a database in use and not a backup, if it is one.
fn in_use(file: &Path) -> Option<String> {
    let has_companion = |ending: &&str| {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        Path::new(&name).symlink_metadata().is_ok()
    };
    let ending = ["-wal", "-shm", "-journal", ".lock"].iter().find(|ending| has_companion(ending))?;
    let why = match *ending {
        ".lock" => "`topicwatch run` uses or has used",
        _ => "is in use, or was not closed cleanly",
    };
    Some(format!("it is a database that {why} (its {ending} file exists)"))
}
