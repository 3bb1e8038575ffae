//! The state of a run and its cost, in words. Pages decide which runs they list.

use maud::{Markup, html};

use crate::model::{Micros, RunState, SearchCost};

/// The state of a run, as a word and not only as a colour.
pub(in crate::web) fn state(state: RunState) -> Markup {
    let class = match state {
        RunState::Ok => "good",
        RunState::Partial | RunState::Missed | RunState::OverQuota => "warn",
        RunState::Failed => "bad",
        _ => "calm",
    };
    html! { span.{ "state " (class) } { (state.to_string().replace('_', " ")) } }
}

/// The cost of a run, and how much of it was assumed; `None` if that is unknown, because its searches were deleted.
pub(super) fn cost(total: Micros, assumed: Option<Micros>) -> String {
    match assumed {
        Some(assumed) => SearchCost { total, assumed }.to_string(),
        None => format!("{total} (searches deleted; what was assumed is not known)"),
    }
}
