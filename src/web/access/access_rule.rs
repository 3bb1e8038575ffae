//! The access that a route requires of a visitor. Every route declares it where it is defined
//! ([`crate::web::server::routes`]), every operation of the API in its table; only `guard` checks requests against it.

use axum::http::{Method, StatusCode};

use super::visitor::{Identity, Visitor};
use crate::model::Role;
use crate::web::problem::Problem;

/// The access that a route requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessRule {
    /// Nothing: everyone is answered.
    Open,
    /// The role, for the topic that the path names.
    OfTopic(Role),
    /// The role. The answer holds only topics that the visitor sees.
    InScope(Role),
    /// The role for all topics.
    OfAll(Role),
}

impl AccessRule {
    /// The role, if any.
    #[must_use]
    pub fn role(self) -> Option<Role> {
        match self {
            Self::Open => None,
            Self::OfTopic(role) | Self::InScope(role) | Self::OfAll(role) => Some(role),
        }
    }

    /// The reachable data, in a few words for people.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Open => "nothing",
            Self::OfTopic(_) => "the topic",
            Self::InScope(_) => "shows the token's topics",
            Self::OfAll(_) => "all topics",
        }
    }

    /// Checks that the visitor has it. `topic` is the one that the path names.
    pub(in crate::web) fn check(self, visitor: &Visitor, topic: Option<&str>) -> Result<(), Problem> {
        let Some(role) = self.role() else { return Ok(()) };
        if visitor.role < role {
            return Err(insufficient_role(visitor, role));
        }
        let reaches = match self {
            Self::Open | Self::InScope(_) => true,
            Self::OfTopic(_) => visitor.sees_all() || topic.is_some_and(|topic| visitor.sees(topic)),
            Self::OfAll(_) => visitor.sees_all(),
        };
        if reaches { Ok(()) } else { Err(out_of_scope()) }
    }
}

/// The problem that the role is not sufficient.
fn insufficient_role(visitor: &Visitor, role: Role) -> Problem {
    if visitor.who == Identity::Anyone {
        let hint = "Actions need `topicwatch run` and a token, or `edit = true` under [web].";
        return Problem::new(StatusCode::FORBIDDEN, "These pages are read-only", hint);
    }
    let hint = format!("Yours has the role `{}`. `topicwatch token add NAME --role {role}` creates one.", visitor.role);
    Problem::new(StatusCode::FORBIDDEN, format!("This needs a token with the role `{role}`"), hint)
}

/// The problem that the token is for other topics. Does not reveal whether there is such a topic.
pub(in crate::web) fn out_of_scope() -> Problem {
    let hint = "It covers only some topics; the page Topics lists them.";
    Problem::new(StatusCode::FORBIDDEN, "Your token does not cover this", hint)
}

/// A route, and what it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteNeed {
    pub method: Method,
    /// With the names of variable parts in braces.
    pub path: &'static str,
    pub need: AccessRule,
}

/// Returns the access that a path and method require; `None` if they are not served.
pub(in crate::web) fn need_of(declared: &[RouteNeed], method: &Method, path: &str) -> Option<AccessRule> {
    // A route for GET also answers HEAD.
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    declared.iter().find(|one| one.method == *method && one.path == path).map(|one| one.need)
}
