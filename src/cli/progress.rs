//! A progress bar on a terminal's stderr; nothing anywhere else.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output;

/// A bar over `len` steps; hidden when stderr is no terminal or nobody wants it.
pub(super) fn bar(len: u64, quiet: bool) -> ProgressBar {
    if quiet || !output::lively() || len < 2 {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(len), ProgressDrawTarget::stderr_with_hz(5));
    bar.set_style(
        ProgressStyle::with_template("{bar:30} {pos}/{len} topics {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar
}
