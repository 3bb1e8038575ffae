//! The sender of a request, and what they may see. `authentication` makes it once for each request, which carries it
//! along.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::Role;

/// How a visitor was recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) enum Identity {
    /// There is no token: anyone who reaches the address.
    Anyone,
    /// There are tokens, but none was sent.
    Nobody,
    /// The token of the configuration.
    Owner,
    /// A named token. The hash distinguishes it from an earlier one of the same name.
    Named { name: String, hash: String },
}

/// The topics that a visitor sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::web) enum Scope {
    All,
    /// Only these, by id.
    Topics(Arc<BTreeSet<String>>),
}

/// The sender of a request.
#[derive(Debug, Clone)]
pub(in crate::web) struct Visitor {
    pub(in crate::web) who: Identity,
    pub(in crate::web) role: Role,
    pub(in crate::web) scope: Scope,
}

/// An unknown visitor, who sees nothing.
impl Default for Visitor {
    fn default() -> Self {
        Self { who: Identity::Nobody, role: Role::Read, scope: Scope::Topics(Arc::default()) }
    }
}

impl Visitor {
    /// The visitor if there is no token: may read everything, and do everything if pages may change what is watched.
    pub(in crate::web) fn anyone(edits: bool) -> Self {
        Self { who: Identity::Anyone, role: if edits { Role::Edit } else { Role::Read }, scope: Scope::All }
    }

    pub(in crate::web) fn owner() -> Self {
        Self { who: Identity::Owner, role: Role::Edit, scope: Scope::All }
    }

    /// Whether a valid token was sent.
    pub(in crate::web) fn is_known(&self) -> bool {
        matches!(self.who, Identity::Owner | Identity::Named { .. })
    }

    pub(in crate::web) fn sees_all(&self) -> bool {
        self.scope == Scope::All
    }

    pub(in crate::web) fn sees(&self, topic: &str) -> bool {
        match &self.scope {
            Scope::All => true,
            Scope::Topics(topics) => topics.contains(topic),
        }
    }

    /// The topics that the visitor sees; `None` means all.
    pub(in crate::web) fn visible_topics(&self) -> Option<Vec<String>> {
        match &self.scope {
            Scope::All => None,
            Scope::Topics(topics) => Some(topics.iter().cloned().collect()),
        }
    }

    /// The version, if the visitor may learn it. Without a token anyone may ask, so it is not shown.
    pub(in crate::web) fn version(&self) -> Option<&'static str> {
        self.is_known().then_some(env!("CARGO_PKG_VERSION"))
    }

    /// The name under which the visitor is logged in.
    pub(in crate::web) fn name(&self) -> Option<String> {
        match &self.who {
            Identity::Anyone | Identity::Nobody => None,
            Identity::Owner => Some("owner".to_owned()),
            Identity::Named { name, .. } => Some(name.clone()),
        }
    }
}
