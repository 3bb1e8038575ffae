//! `changes`: one row per change that `diff` shows. `insight` decides what is new, gone, edited or rising. Holds the
//! changes of one topic at a time.

use super::columns::{self, ChangeKind, ChangeRow};
use super::request_options::{ExportError, ExportOptions};
use super::rows::OutputRows;
use crate::compare::{Since, changes_between, run_range};
use crate::insight::ChangePoint;
use crate::store::Store;

/// Writes the changes of all watched topics, or of those that are named or tagged.
pub(super) async fn write(
    store: &Store,
    options: &ExportOptions,
    rows: &mut OutputRows<'_>,
) -> Result<(), ExportError> {
    for (_, topic) in options.topics(store).await? {
        let since = options.since_runs.get(&topic.id).map(|seq| Since::Run(*seq));
        let since = since
            .or(options.filter.since.or(options.filter.new_since).map(Since::Instant))
            .unwrap_or(Since::TheRunBefore);
        let Some(between) = run_range(store, &topic.id, since, options.filter.until).await? else { continue };
        let changes = changes_between(store, &topic, between, usize::MAX, options.without_shared_fields).await?;
        if changes.counts.cut {
            tracing::warn!(topic = topic.id, "too many changes to read at once: only the latest are exported");
        }
        if let Some(note) = changes.counts.pruned_note() {
            tracing::warn!(topic = topic.id, "{note}");
        }
        let run = |point: Option<&ChangePoint>| point.map(|point| point.run.clone());
        let (since_run, until_run) = (run(changes.since.as_ref()), run(changes.until.as_ref()));
        let kinds = changes.new.into_iter().map(ChangeKind::New);
        let kinds = kinds.chain(changes.gone.into_iter().map(ChangeKind::Gone));
        let kinds = kinds.chain(changes.edited.into_iter().map(ChangeKind::Edited));
        for change in kinds.chain(changes.rising.into_iter().map(ChangeKind::Rising)) {
            let (since_run, until_run) = (since_run.clone(), until_run.clone());
            let row = ChangeRow { topic: topic.id.clone(), since_run, until_run, change };
            rows.write(columns::CHANGES, &row)?;
        }
    }
    Ok(())
}
