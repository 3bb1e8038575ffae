//! Servers that asked for a wait during a search: the search requests no more feeds from them. The memory of these
//! feeds stores the time that the server gave.

use std::collections::HashMap;

use url::Url;

use crate::model::Time;
use crate::search::kinds::kind::SearchCall;

/// A server by scheme, host and port; `None` is the provider's own.
type Server = Option<String>;

/// The servers that asked for a wait, and its end, if they gave one.
pub(super) struct ServerWaits(HashMap<Server, Option<Time>>);

impl ServerWaits {
    /// Reads them from the calls of a search. A server that is only unavailable counts if it names a time.
    pub(super) fn of(parts: &[SearchCall]) -> Self {
        let mut waits = HashMap::new();
        for part in parts {
            let Some(failure) = part.reply.as_ref().err() else { continue };
            if failure.status == Some(429) || (failure.status == Some(503) && failure.not_before.is_some()) {
                let until: &mut Option<Time> = waits.entry(server(part.request.address.as_deref())).or_default();
                *until = (*until).max(failure.not_before);
            }
        }
        Self(waits)
    }

    /// Whether the server of this address, or of one below the provider's own, asked to wait.
    pub(super) fn hold(&self, address: Option<&str>) -> bool {
        !self.0.is_empty() && self.0.contains_key(&server(address))
    }

    /// The end of the wait, if the server gave one.
    pub(super) fn until(&self, address: Option<&str>) -> Option<Time> {
        self.0.get(&server(address)).copied().flatten()
    }
}

fn server(address: Option<&str>) -> Server {
    address.map(|address| {
        Url::parse(address).map_or_else(|_| address.to_owned(), |url| url.origin().ascii_serialization())
    })
}
