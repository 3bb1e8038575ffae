//! What a fault rule is and which requests it fires on. How it is written stands in `rule`, what its action does to a
//! reply in `damage`.

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
    /// What stands in the place of a reply, or is put into it.
    Garbage {
        /// A web page in place of JSON.
        Html = "html",
        /// JSON that stops in the middle.
        Json = "json",
        /// No byte at all.
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

/// How a refusal says when to come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryAfter {
    /// `Retry-After` header in seconds.
    Header(u32),
    /// `Retry-After` header as an HTTP date so many seconds after the sandbox's clock.
    Date(u32),
    /// `"retry_after": "60 seconds"` in the body, no header.
    Body(u32),
}

/// What is done to a request that a rule fires on. The last three of the list act on a reply that would have been good.
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
    /// Fires on each so-many-th matching request; 1 is every one.
    pub every: u64,
    /// Leaves the first so many matching requests alone.
    pub after: u64,
    /// Fires so many times at most.
    pub times: Option<u64>,
    /// Waits before answering.
    pub delay: Option<Duration>,
    /// What happens; `None` only delays.
    pub action: Option<Action>,
}

/// Why a rule was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FaultError {
    /// One line for people, quoting the part that is wrong.
    pub message: String,
    /// What is accepted there.
    pub hint: String,
}

impl Fault {
    /// Whether the rule is about this request at all, before its counters are looked at.
    pub(crate) fn concerns(&self, role: Option<Role>, path: &str) -> bool {
        self.source.is_none_or(|wanted| Some(wanted) == role)
            && self.path.as_ref().is_none_or(|prefix| path.starts_with(prefix.as_str()))
    }

    /// Whether the rule fires on the `nth` request (from 1) that it concerns. Pure, so that counters stay plain.
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
    fn counters_decide_which_of_the_matching_requests_are_hit() {
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
        assert!(fault.concerns(Some(Role::Web), "/web/search"));
        assert!(!fault.concerns(Some(Role::Web), "/desearch/ai/search/links/web"));
        assert!(!fault.concerns(Some(Role::Social), "/web/search"));
        assert!(!fault.concerns(None, "/web/nothing"));
    }
}
