//! Progress on a terminal's stderr; silent anywhere else.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::terminal::output;

/// A bar over `len` steps; hidden if stderr is no terminal or `quiet` is set.
pub(in crate::cli) fn bar(len: u64, quiet: bool) -> ProgressBar {
    if quiet || !output::is_interactive() || len < 2 {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(len), ProgressDrawTarget::stderr_with_hz(5));
    bar.set_style(
        ProgressStyle::with_template("{bar:30} {pos}/{len} topics {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar
}

/// Time between two updates of the row count.
const EVERY: Duration = Duration::from_millis(500);

/// Shows the rows of a file being written, and their rate.
pub(in crate::cli) struct RowProgress {
    line: Option<ProgressBar>,
    begun: Instant,
    updated_at: Instant,
}

impl RowProgress {
    /// Shows progress on a terminal, unless `quiet` is set.
    pub(in crate::cli) fn new(quiet: bool) -> Self {
        let line = (!quiet && output::is_interactive()).then(|| {
            let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(2));
            line.with_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()))
        });
        let now = Instant::now();
        Self { line, begun: now, updated_at: now }
    }

    /// Updates the number of rows.
    pub(in crate::cli) fn update(&mut self, rows: u64) {
        let Some(line) = &self.line else { return };
        if self.updated_at.elapsed() >= EVERY {
            self.updated_at = Instant::now();
            let rate = rows as f64 / self.begun.elapsed().as_secs_f64().max(0.001);
            line.set_message(format!("{rows} rows, {rate:.0} rows/s"));
        }
    }

    /// Removes the line.
    pub(in crate::cli) fn end(self) {
        if let Some(line) = self.line {
            line.finish_and_clear();
        }
    }
}
