//! `export --verify`: checks an exported file against its manifest and the database. The comparison is in `export`.

use std::io::ErrorKind;
use std::path::Path;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::export::{self, Comparison, ExportError, Manifest};
use crate::store::Store;

pub(in crate::cli) async fn run(context: &Context, file: &Path) -> Result<Exit, Failure> {
    let name = output::escape_control(&file.display().to_string());
    let unreadable = |what: &str, error: &std::io::Error| {
        let hint = if error.kind() == ErrorKind::NotFound {
            "verifying a file of [[exports]] needs its .manifest.json in the same folder"
        } else {
            "it must not be changed after it was written"
        };
        Failure::usage(format!("{what} cannot be read: {error}"), hint)
    };
    let manifest = Manifest::beside(file).map_err(|error| unreadable(&format!("{name}.manifest.json"), &error))?;
    let store: Store = context.store_to_read().await?;
    let checked = export::verify(&store, file, &manifest).await;
    store.close().await;
    let checked = checked.map_err(|error| match error {
        ExportError::Output(error) => unreadable(&name, &error),
        ExportError::Store(error) => error.into(),
    })?;
    let (exit, line) = match checked {
        Comparison::Same => {
            (Exit::Ok, format!("{name} matches the database: {} rows, sha256 {}", manifest.rows, manifest.sha256))
        }
        Comparison::Changed { how } => (Exit::Searches, format!("{name} was changed after it was written: {how}")),
        Comparison::Apart { line, rows } => (
            Exit::Searches,
            format!(
                "{name} is unchanged ({} rows), but the database differs from line {line} on ({rows} rows now): since then, \
                 items were merged, pruned or erased, topics renamed, or replies replayed{}",
                manifest.rows,
                if manifest.query.what.is_append_only() { "" } else { ", or more was found" }
            ),
        ),
        Comparison::OtherSchema { schema } => (
            Exit::Searches,
            format!(
                "{name} is unchanged, with columns of version {schema}; this program writes version {}",
                export::SCHEMA
            ),
        ),
    };
    output::text(&format!("{line}\n"))?;
    Ok(exit)
}
