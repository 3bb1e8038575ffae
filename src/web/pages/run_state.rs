//! How a run ended, as a word. Which runs are listed, the pages say.

use maud::{Markup, html};

use crate::model::RunState;

/// What a run came to, as a word that is never colour alone.
pub(in crate::web) fn state(state: RunState) -> Markup {
    let class = match state {
        RunState::Ok => "good",
        RunState::Partial | RunState::Missed | RunState::OverQuota => "warn",
        RunState::Failed => "bad",
        _ => "calm",
    };
    html! { span.{ "state " (class) } { (state.to_string().replace('_', " ")) } }
}
