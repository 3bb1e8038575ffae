//! `export --verify`: checks an exported file against its manifest and the database. The comparison is in `export`.

use std::io::ErrorKind;
use std::path::Path;

use crate::cli::terminal::failure::{Exit, Failure};
use crate::cli::terminal::output;
use crate::cli::wiring::context::Context;
use crate::draw::format::count_noun;
use crate::export::{self, Comparison, ExportError, FilterMode, Format, Manifest};
use crate::store::Store;

pub(in crate::cli) async fn run(context: &Context, file: &Path) -> Result<Exit, Failure> {
    let name = output::escape_control(&file.display().to_string());
    let unreadable = |what: &str, error: &std::io::Error, absent: &str| {
        let hint = match (error.kind(), name.strip_suffix(".manifest.json")) {
            (ErrorKind::NotFound, Some(exported)) => format!("name the exported file instead: {exported}"),
            (ErrorKind::NotFound, None) => absent.to_owned(),
            (ErrorKind::PermissionDenied, _) => "may this user read it?".to_owned(),
            _ => "it must not be changed after it was written".to_owned(),
        };
        Failure::usage(format!("{what} cannot be read: {error}"), hint)
    };
    let manifest = Manifest::read_for(file).map_err(|error| {
        let absent = "verifying a file of [[exports]] needs its .manifest.json in the same folder";
        unreadable(&format!("{name}.manifest.json"), &error, absent)
    })?;
    let store: Store = context.store_to_read().await?;
    let checked = export::verify(&store, file, &manifest).await;
    store.close().await;
    let checked = checked.map_err(|error| match error {
        ExportError::Output(error) => unreadable(&name, &error, "put the file back beside its manifest"),
        ExportError::Store(error) => error.into(),
    })?;
    let (exit, line) = match checked {
        Comparison::Same => {
            let rows = count_noun(manifest.rows, "row");
            (Exit::Ok, format!("{name} matches the database: {rows}, sha256 {}", manifest.sha256))
        }
        Comparison::Changed { how } => (Exit::Searches, format!("{name} was changed after it was written: {how}")),
        Comparison::Apart { line, rows } => (Exit::Searches, difference(&name, &manifest, line, rows)),
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

/// Describes how the database differs from an unchanged file, and what may have changed.
fn difference(name: &str, manifest: &Manifest, line: u64, rows: u64) -> String {
    let query = &manifest.query;
    // A workbook is packed: it has no lines.
    let place = if query.format == Format::Xlsx { String::new() } else { format!(" from line {line} on") };
    let items = if query.shows_current_items() { "edited, merged" } else { "merged" };
    let scores = if query.tones.is_empty() { "" } else { "scored again, " };
    let filters = if query.filtered == FilterMode::Keep { "" } else { "filters of topics changed, " };
    let more = if query.what.is_append_only() { "" } else { ", or more was found" };
    format!(
        "{name} is unchanged ({}), but the database differs{place} ({} now): since then, items were {scores}{items}, \
         pruned or erased, topics renamed, {filters}replies replayed, or an older backup was restored{more}",
        count_noun(manifest.rows, "row"),
        count_noun(rows, "row")
    )
}
