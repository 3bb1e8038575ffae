//! Kinds of providers besides the search service. A kind is two pure functions: one returns the next requests from the
//! replies so far, the other reads all replies. `collect` makes the calls, through the same client as all others.
//! `model/sources/provider_kinds.rs` declares what a kind brings and what it may be asked. To add one, write its file here and
//! name it in `KINDS`.

mod bluesky;
mod call;
mod date;
mod feeds;
mod hackernews;
mod kind;
mod markup;
mod openai;
mod searxng;
mod service;

pub use call::call_all;
pub use kind::{
    CallTarget, Kind, MOST_PARTS, PartFailure, PartReply, PromptItem, ProviderRequest, ReadResult, SearchCall,
    SpanCoverage,
};

use super::Dialect;
use crate::model::Source;
use service::Service;

static KINDS: &[&dyn Kind] = &[
    &hackernews::HackerNews,
    &searxng::Searxng,
    &feeds::Feeds,
    &bluesky::Bluesky,
    &openai::OpenAi,
    &Service { name: "desearch", dialect: Dialect::Desearch, like: Source::Social },
    &Service { name: "desearch-web", dialect: Dialect::Desearch, like: Source::Web },
    &Service { name: "desearch-ai", dialect: Dialect::Desearch, like: Source::Ai },
    &Service { name: "spec", dialect: Dialect::Spec, like: Source::Social },
    &Service { name: "spec-web", dialect: Dialect::Spec, like: Source::Web },
    &Service { name: "spec-ai", dialect: Dialect::Spec, like: Source::Ai },
];

/// Returns the kind of this name.
#[must_use]
pub fn named(name: &str) -> Option<&'static dyn Kind> {
    KINDS.iter().copied().find(|kind| kind.name() == name)
}

#[cfg(test)]
mod tests {
    use crate::model::ProviderKind;

    #[test]
    fn every_provider_kind_is_declared_once_and_implemented() {
        let declared: Vec<&str> = crate::model::KINDS.iter().map(|kind| kind.name).collect();
        let mut spoken: Vec<&str> = super::KINDS.iter().map(|kind| kind.name()).collect();
        spoken.sort_by_key(|name| declared.iter().position(|one| one == name));
        assert_eq!(declared, spoken);
        for kind in crate::model::KINDS {
            assert!(kind.asks.iter().any(|key| key.name == kind.needs), "{}", kind.name);
            assert!(ProviderKind::named(kind.name).is_some());
        }
    }
}
