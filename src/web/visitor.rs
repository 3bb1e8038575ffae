//! Who asks, and what they may see: made once for each request by `admission`, and carried along with it.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::Role;

/// By what somebody is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Who {
    /// There is no token: whoever reaches the address.
    Anyone,
    /// There are tokens, and none was shown.
    Nobody,
    /// The token of the configuration.
    Owner,
    /// A named token; the hash tells it from one that had the name before.
    Named { name: String, hash: String },
}

/// Which topics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Scope {
    All,
    /// These alone, by id.
    Topics(Arc<BTreeSet<String>>),
}

/// Somebody who asks.
#[derive(Debug, Clone)]
pub(super) struct Visitor {
    pub(super) who: Who,
    pub(super) role: Role,
    pub(super) scope: Scope,
}

/// Nobody, who sees nothing.
impl Default for Visitor {
    fn default() -> Self {
        Self { who: Who::Nobody, role: Role::Read, scope: Scope::Topics(Arc::default()) }
    }
}

impl Visitor {
    /// Where there is no token: everything is read, and done where pages may change what is watched.
    pub(super) fn anyone(edits: bool) -> Self {
        Self { who: Who::Anyone, role: if edits { Role::Edit } else { Role::Read }, scope: Scope::All }
    }

    pub(super) fn owner() -> Self {
        Self { who: Who::Owner, role: Role::Edit, scope: Scope::All }
    }

    /// Whether a token was shown.
    pub(super) fn is_known(&self) -> bool {
        matches!(self.who, Who::Owner | Who::Named { .. })
    }

    pub(super) fn sees_all(&self) -> bool {
        self.scope == Scope::All
    }

    pub(super) fn sees(&self, topic: &str) -> bool {
        match &self.scope {
            Scope::All => true,
            Scope::Topics(topics) => topics.contains(topic),
        }
    }

    /// The topics that are seen, where these are not all.
    pub(super) fn only(&self) -> Option<Vec<String>> {
        match &self.scope {
            Scope::All => None,
            Scope::Topics(topics) => Some(topics.iter().cloned().collect()),
        }
    }

    /// The version, for who may learn it: without a token whoever reaches the address may ask.
    pub(super) fn version(&self) -> Option<&'static str> {
        self.is_known().then_some(env!("CARGO_PKG_VERSION"))
    }

    /// As whom somebody is logged in, in words.
    pub(super) fn name(&self) -> Option<String> {
        match &self.who {
            Who::Anyone | Who::Nobody => None,
            Who::Owner => Some("owner".to_owned()),
            Who::Named { name, .. } => Some(name.clone()),
        }
    }
}
