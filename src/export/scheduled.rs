//! Runs an export of the configuration. Each edition is begun in the store before its first byte, its files are put in
//! place whole, and only then does the edition end and the cursor move. Wherever this stops, the next run writes the
//! same edition to the same names. If the export was changed since, the missing files are written by the new
//! definition.
//!
//! ```text
//! store.begin_edition -> write, fsync, rename (file, then manifest) … -> store.end_edition -> old files removed
//! ```

use std::io;
use std::path::{Path, PathBuf};

use super::manifest::{self, Hashing, Manifest, Written};
use super::spec::ExportSpec;
use super::{ExportError, ExportOptions, FilterMode, MaybeGzip, Out, strip_gz, write};
use crate::compare::RowFilter;
use crate::files::{self, Protected, Replacement};
use crate::model::Time;
use crate::normalise::words;
use crate::store::{Edition, JobRun, PlacedFile, RunRange, Store, StoreError, StoreErrorKind};

/// Why an edition could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ScheduledExportError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file could not be written or removed.
    #[error("{} could not be written: {error}", .path.display())]
    File { path: PathBuf, error: io::Error },
    /// The stored definition of the export cannot be read.
    #[error("the export's definition cannot be read: {0}")]
    Definition(#[from] serde_json::Error),
}

/// The result of a run of an export.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Editions {
    /// Files that are in place.
    pub files: Vec<String>,
    /// Rows in them.
    pub rows: u64,
    /// Files of old editions that were removed.
    pub removed: u64,
}

/// Makes the editions of a run: first the one that an earlier run left unfinished, if any. Never overwrites protected
/// files.
///
/// # Errors
/// If the database or a file fails. The next run then writes what is missing of the edition.
pub async fn run_export(
    store: &Store,
    run: &JobRun,
    now: Time,
    protected: &Protected,
) -> Result<Editions, ScheduledExportError> {
    let spec: ExportSpec = serde_json::from_value(run.job.spec.clone())?;
    let definition = serde_json::to_string(&spec)?;
    let mut editions = Editions::default();
    while let Some(edition) = store.begin_edition(run, spec.is_incremental(), &definition, now).await? {
        crate::failpoint::at_of("export/begun", &spec.name);
        if edition.definition != definition {
            carry_over(store, run, &edition, protected).await?;
            store.redefine_edition(run, edition.number, spec.is_incremental(), &definition).await?;
            continue;
        }
        let (files, rows) = write_files(store, run, &spec, &edition, protected).await?;
        crate::failpoint::at_of("export/placed", &spec.name);
        store.end_edition(run, &edition, spec.is_incremental(), &files, rows, now).await?;
        editions.files.extend(files);
        editions.rows += rows;
    }
    if let Some(keep) = spec.retain {
        editions.removed = remove_old(store, run, &spec, keep).await?;
    }
    Ok(editions)
}

/// The topics that get a file of their own in an edition; a single `None` if all are in one file.
async fn topics_of(store: &Store, spec: &ExportSpec, edition: &Edition) -> Result<Vec<Option<String>>, StoreError> {
    if !spec.by_topic() {
        return Ok(vec![None]);
    }
    let named = store.topics_between(edition.between, &spec.topics, &spec.tags).await?;
    Ok(named.into_iter().map(Some).collect())
}

/// Records the files of an unfinished edition that are in place under the names it began with: a process may have
/// been killed before it recorded them.
async fn carry_over(
    store: &Store,
    run: &JobRun,
    edition: &Edition,
    protected: &Protected,
) -> Result<(), ScheduledExportError> {
    let old_spec: ExportSpec = serde_json::from_str(&edition.definition)?;
    let mut found = Vec::new();
    for topic in topics_of(store, &old_spec, edition).await? {
        let path = old_spec.file(&edition.run, edition.at, topic.as_deref());
        let file = path.display().to_string();
        if edition.placed.iter().any(|placed| placed.file == file) || !path.is_file() {
            continue;
        }
        let own_manifest = Manifest::read_for(&path).ok();
        let own_manifest =
            own_manifest.filter(|manifest| manifest.export == old_spec.name && manifest.edition == edition.number);
        let rows = match own_manifest {
            Some(manifest) => manifest.rows,
            // Killed before its manifest. In an incremental export only this edition has such a name; it is written
            // again.
            None if old_spec.is_incremental() => {
                let run_range = store.run_range(edition.between, manifest::MOST_RUNS).await?;
                match write_file(store, run, &old_spec, edition, topic.as_deref(), &run_range, protected).await {
                    Ok(written) => written.unwrap_or(0),
                    Err(ScheduledExportError::File { .. }) => 0,
                    Err(error) => return Err(error),
                }
            }
            None => continue,
        };
        found.push(PlacedFile { topic, file, what: assigned_rows(&old_spec), rows });
    }
    Ok(store.place_files(run, edition.number, &found).await?)
}

/// Which rows are assigned to a file for good, so that no later file has them; empty for a full export.
fn assigned_rows(spec: &ExportSpec) -> String {
    if spec.is_incremental() { spec.what.as_str().to_owned() } else { String::new() }
}

/// Returns the files that an edition still lacks: the topic of each file, and the topics to export into it. In an
/// incremental export, rows that were assigned to a file go into no other.
async fn remaining_files(
    store: &Store,
    spec: &ExportSpec,
    edition: &Edition,
) -> Result<Vec<(Option<String>, ExportSpec)>, StoreError> {
    let assigned = edition.placed.iter().filter(|one| spec.is_incremental() && one.what == spec.what.as_str());
    let assigned: Vec<&Option<String>> = assigned.map(|one| &one.topic).collect();
    let is_placed = |topic: &Option<String>| assigned.contains(&topic);
    if is_placed(&None) {
        return Ok(Vec::new());
    }
    if spec.by_topic() || assigned.is_empty() {
        let topics = topics_of(store, spec, edition).await?;
        return Ok(topics.into_iter().filter(|topic| !is_placed(topic)).map(|topic| (topic, spec.clone())).collect());
    }
    // The edition began with a file for each topic.
    let mut topics = store.topics_between(edition.between, &spec.topics, &spec.tags).await?;
    topics.retain(|topic| !is_placed(&Some(topic.clone())));
    if topics.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![(None, ExportSpec { topics, tags: Vec::new(), ..spec.clone() })])
}

/// Writes the files of an edition and puts each in place.
async fn write_files(
    store: &Store,
    run: &JobRun,
    spec: &ExportSpec,
    edition: &Edition,
    protected: &Protected,
) -> Result<(Vec<String>, u64), ScheduledExportError> {
    let run_range = store.run_range(edition.between, manifest::MOST_RUNS).await?;
    let mut placed_files: Vec<(String, u64)> = edition.placed.iter().map(|one| (one.file.clone(), one.rows)).collect();
    for (topic, spec) in remaining_files(store, spec, edition).await? {
        let Some(rows) = write_file(store, run, &spec, edition, topic.as_deref(), &run_range, protected).await? else {
            continue;
        };
        let file = spec.file(&edition.run, edition.at, topic.as_deref()).display().to_string();
        // The last of several files may keep failing, and the assigned rows must stay recorded.
        if spec.is_incremental() && spec.by_topic() {
            let placed = PlacedFile { topic, file: file.clone(), what: assigned_rows(&spec), rows };
            store.place_files(run, edition.number, &[placed]).await?;
        }
        placed_files.retain(|(known, _)| *known != file);
        placed_files.push((file, rows));
    }
    let rows = placed_files.iter().map(|(_, rows)| rows).sum();
    Ok((placed_files.into_iter().map(|(file, _)| file).collect(), rows))
}

/// Writes one file and puts it in place with its manifest. Returns its number of rows; `None` if an incremental
/// export has no new rows.
async fn write_file(
    store: &Store,
    run: &JobRun,
    spec: &ExportSpec,
    edition: &Edition,
    topic: Option<&str>,
    run_range: &RunRange,
    protected: &Protected,
) -> Result<Option<u64>, ScheduledExportError> {
    let path = spec.file(&edition.run, edition.at, topic);
    let unwritable = |error: io::Error| ScheduledExportError::File { path: path.clone(), error };
    let options = spec.order(edition.at, edition.between, topic);
    files::create_parent_folder(&path).map_err(unwritable)?;
    let file = Replacement::create(&path, protected).map_err(unwritable)?;
    let mut file = MaybeGzip::new(Hashing::new(file), is_gzip_name(&path)).map_err(unwritable)?;
    let rows = match write_rows(store, &options, spec.filtered, &mut file).await {
        Err(ExportError::Output(error)) => return Err(unwritable(error)),
        Err(ExportError::Store(error)) => return Err(error.into()),
        Ok(rows) => rows,
    };
    let (file, bytes, sha256) = file.finish().map_err(unwritable)?.finish();
    // No file if there is nothing new, so that nobody has to load empty files.
    if spec.is_incremental() && rows == 0 {
        return Ok(None);
    }
    // A process that stalled past its lease must not put back a file that was removed since.
    if !store.is_held(run).await? {
        let hint = "another process is writing this export";
        return Err(StoreError::new(StoreErrorKind::Fenced, format!("{} was lost", run.public_id()), hint).into());
    }
    crate::failpoint::at_of("export/written", &spec.name);
    file.commit().map_err(unwritable)?;
    crate::failpoint::at_of("export/renamed", &spec.name);
    let manifest = Manifest::of(spec, edition, topic, &path, &Written { rows, bytes, sha256 }, run_range)?;
    write_manifest(&path, &manifest, protected)?;
    Ok(Some(rows))
}

fn write_manifest(file: &Path, manifest: &Manifest, protected: &Protected) -> Result<(), ScheduledExportError> {
    let path = manifest::manifest_path(file);
    let text = serde_json::to_string_pretty(manifest)? + "\n";
    files::replace_file(&path, text.as_bytes(), protected).map_err(|error| ScheduledExportError::File { path, error })
}

/// Whether the name of a file asks for compression.
pub(super) fn is_gzip_name(file: &Path) -> bool {
    file.file_name().and_then(|name| name.to_str()).is_some_and(|name| strip_gz(name).1)
}

/// Writes the rows that the options select. Returns how many.
pub(super) async fn write_rows(
    store: &Store,
    options: &ExportOptions,
    filtered: FilterMode,
    out: Out<'_>,
) -> Result<u64, ExportError> {
    if options.filter.words.is_some() {
        // The range is fixed: rows in it must not be missed because they are not indexed yet.
        store.index_waiting((words::VERSION, words::tokens), &|_| false).await?;
    }
    let mut row_filter = RowFilter::of(store, &options.filter.topics, filtered).await?;
    write(store, options, &mut row_filter, out).await
}

/// Removes the files of all but the newest editions. Removes a file only if its manifest names this
/// export and edition. Other files stay.
async fn remove_old(store: &Store, run: &JobRun, spec: &ExportSpec, keep: u32) -> Result<u64, ScheduledExportError> {
    let mut removed = 0;
    for edition in store.old_editions(&run.job.id, keep).await? {
        for file in &edition.files {
            let file = Path::new(file);
            let is_own_file = Manifest::read_for(file)
                .is_ok_and(|manifest| manifest.export == spec.name && manifest.edition == edition.number);
            if !is_own_file {
                continue;
            }
            for path in [file.to_owned(), manifest::manifest_path(file)] {
                match std::fs::remove_file(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(ScheduledExportError::File { path, error });
                    }
                    _ => {}
                }
            }
            removed += 1;
        }
        store.drop_edition(run, edition.number).await?;
    }
    Ok(removed)
}
