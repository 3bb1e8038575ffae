//! Which request an [`Ask`] becomes in each dialect: a pure choice. The shapes themselves are in `spec` and `desearch`;
//! sending is `client`'s.

use super::{Ask, Dialect, Request, desearch, spec};
use crate::model::{SocialOperation, Time, WebOperation};

/// An ask that a dialect cannot put into words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unsupported {
    /// What is wrong, in one line.
    pub message: String,
    /// What to do next.
    pub hint: String,
}

/// The request for `ask`. Where the contract shows no shape (`posts`, `links`, `basic`) both dialects use the observed
/// one. Fields that a call does not have (a number of posts where the call takes none, AI tools in the contract) are
/// not sent. `now` only decides the days of calls that take dates.
///
/// # Errors
/// [`Unsupported`] for numbers outside what a call takes, or a platform name that is no path segment.
pub fn request(dialect: Dialect, platform: &str, ask: &Ask, now: Time) -> Result<Request, Unsupported> {
    match (dialect, ask) {
        (Dialect::Spec, Ask::Social(query, window)) if query.operation == SocialOperation::Search => {
            spec::social(platform, query, *window)
        }
        (Dialect::Spec, Ask::Web(query)) if query.operation == WebOperation::Search => Ok(spec::web(query)),
        (Dialect::Spec, Ask::Ai(query, _)) => Ok(spec::ai(query)),
        (_, Ask::Social(query, window)) => match query.operation {
            SocialOperation::Search | SocialOperation::Basic => desearch::social(query, *window, now),
            SocialOperation::Posts => desearch::posts(query),
        },
        (_, Ask::Web(query)) => match query.operation {
            WebOperation::Search | WebOperation::Basic => Ok(desearch::web(query)),
            WebOperation::Links => desearch::links(query),
        },
        (Dialect::Desearch, Ask::Ai(query, window)) => desearch::ai(query, *window),
    }
}
