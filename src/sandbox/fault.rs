//! Fault rules, and the requests on which they fire. `rule` parses them, and `damage` applies their actions to replies.

use std::time::Duration;

use crate::model::closed_list;

closed_list! {
    /// The role of an endpoint.
    Role {
        Social = "social",
        Web = "web",
        Ai = "ai",
        Hackernews = "hackernews",
        Searxng = "searxng",
        Feeds = "feeds",
        Bluesky = "bluesky",
        Openai = "openai",
    }
}

closed_list! {
    /// Garbage that replaces a reply, or is put into it.
    Garbage {
        /// A web page in place of JSON.
        Html = "html",
        /// JSON that stops in the middle.
        Json = "json",
        /// An empty body.
        Blank = "blank",
        /// Arrays nested 100,000 deep.
        Deep = "deep",
        /// A lone surrogate escape inside the first text of an otherwise good reply.
        Surrogate = "surrogate",
        /// An escaped NUL inside the first text.
        Nul = "nul",
        /// A byte that is not UTF-8 inside the first text.
        Utf8 = "utf8",
    }
}

/// How a refusal states when to retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryAfter {
    /// `Retry-After` header in seconds.
    Header(u32),
    /// `Retry-After` header as an HTTP date this many seconds after the sandbox's time.
    Date(u32),
    /// `"retry_after": "60 seconds"` in the body, no header.
    Body(u32),
}

/// What happens to a request on which a rule fires. From `Cut` on, the actions change a reply that would have been
/// good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Answers with this status and an error body.
    Status(u16, Option<RetryAfter>),
    /// Answers 302 to this address.
    Redirect(String),
    /// Drops the connection without an answer.
    Reset,
    /// Answers with gzip that unpacks to this many bytes.
    Bomb(u64),
    /// Sends this many bytes of the reply, then drops the connection.
    Cut(u64),
    /// Sends this many bytes of the reply and ends it as if that were all.
    Truncate(u64),
    /// A well-formed reply with nothing in it.
    Empty,
    Malformed(Garbage),
    /// An `error` frame in the middle of a stream; an `error` object in place of a plain reply.
    ErrorFrame,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Only endpoints of this role.
    pub source: Option<Role>,
    /// Only paths that start with this.
    pub path: Option<String>,
    /// Fires on every n-th matching request; 1 means every one.
    pub every: u64,
    /// Ignores this many matching requests first.
    pub after: u64,
    /// Fires at most this many times.
    pub times: Option<u64>,
    /// Waits before answering.
    pub delay: Option<Duration>,
    /// The action; `None` means only the delay.
    pub action: Option<Action>,
}

/// Why a rule was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FaultError {
    /// One line for people, quoting the part that is wrong.
    pub message: String,
    /// What would be accepted.
    pub hint: String,
}

impl Fault {
    /// Whether the rule applies to this request, regardless of its counters.
    pub(crate) fn applies_to(&self, role: Option<Role>, path: &str) -> bool {
        self.source.is_none_or(|wanted| Some(wanted) == role)
            && self.path.as_ref().is_none_or(|prefix| path.starts_with(prefix.as_str()))
    }

    /// Whether the rule fires on the `nth` request (from 1) to which it applies. Pure.
    pub(crate) fn fires(&self, nth: u64) -> bool {
        let Some(turn) = nth.checked_sub(self.after).filter(|turn| *turn > 0) else { return false };
        turn.checked_rem(self.every) == Some(0)
            && self.times.is_none_or(|times| turn.checked_div(self.every).is_some_and(|fired| fired <= times))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn counters_select_which_matching_requests_fail() {
        let hit = |rule: &str| -> Vec<u64> {
            let fault = Fault::parse(rule).unwrap();
            (1..=12).filter(|nth| fault.fires(*nth)).collect()
        };
        assert_eq!(hit("empty,times=2"), [1, 2]);
        assert_eq!(hit("empty,every=4"), [4, 8, 12]);
        assert_eq!(hit("empty,after=3,every=2,times=2"), [5, 7]);
        assert_eq!(hit("empty").len(), 12);
    }

    #[test]
    fn a_rule_concerns_its_source_and_path_only() {
        let fault = Fault::parse("source=web,path=/web,empty").unwrap();
        assert!(fault.applies_to(Some(Role::Web), "/web/search"));
        assert!(!fault.applies_to(Some(Role::Web), "/desearch/ai/search/links/web"));
        assert!(!fault.applies_to(Some(Role::Social), "/web/search"));
        assert!(!fault.applies_to(None, "/web/nothing"));
    }
}
