//! The state of a run, as a word. Pages decide which runs they list.

use maud::{Markup, html};

use crate::model::RunState;

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
