//! Explains why a message of the outbox has no text any more, and what to do instead of sending it again.

use crate::model::{JobKind, OutboxEntry, OutboxState};
use crate::store;

/// Why most sent messages have no text.
const EMPTIED: &str = "it was sent more than 30 days ago, and its text was deleted";

/// Why a message has no text although it was not sent, or not long ago.
pub(super) const ERASED: &str = "it contained erased data, and its text was deleted";

/// Returns why a message has no body, and a hint. Only for a message read with its body.
pub(super) fn reason_and_hint(posted: &OutboxEntry) -> (&'static str, &'static str) {
    let why = if posted.is_body_deleted() && posted.message.subject != store::ERASED { EMPTIED } else { ERASED };
    let hint = match posted.state {
        OutboxState::Sent if posted.message.kind == JobKind::Alert.as_str() => {
            "`topicwatch alerts` lists the latest events"
        }
        OutboxState::Sent => "`topicwatch report` can report on any past day",
        _ => "`topicwatch outbox drop` removes it",
    };
    (why, hint)
}
