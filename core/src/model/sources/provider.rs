//! Providers: what each kind returns, how far back it can search, and what a topic may ask it. The kinds are declared
//! in `provider_kinds`; `search/kinds` implements their protocols.

use std::collections::BTreeMap;

use crate::model::{Source, closed_list, without_secrets};

closed_list! {
    /// The kind of data that a source returns.
    ResultKind {
        /// Short texts by people; they have a tone.
        Posts = "posts",
        /// Documents with a URL.
        Pages = "pages",
        /// A written summary.
        Answer = "answer",
    }
}

closed_list! {
    /// How far back a kind can search.
    LookBackKind {
        /// From an exact time.
        Since = "since",
        /// A day, a week, a month or a year.
        Buckets = "buckets",
        /// As far back as its feed goes.
        Feed = "feed",
        /// Not at all: the reply reflects the present.
        Moment = "moment",
    }
}

/// The type of a key's value in a topic's query to a provider.
#[derive(Debug, Clone, Copy)]
pub enum QueryKeyType {
    Text,
    Texts,
    Count(i64, i64),
    Flag,
    OneOf(fn() -> Vec<&'static str>),
}

/// A key of a topic's query to a provider, written `NAME.key`.
#[derive(Debug, Clone, Copy)]
pub struct QueryKey {
    pub name: &'static str,
    pub shape: QueryKeyType,
    /// In TOML syntax. `{query}` and `{title}` are replaced.
    pub default: Option<&'static str>,
    pub doc: &'static str,
}

/// How many calls a search of a kind makes.
#[derive(Debug, Clone, Copy)]
pub enum CallCount {
    One,
    /// As many as its query names.
    Named(fn(&ProviderQuery) -> u32),
    /// No more than this; a search that finds little needs fewer.
    AtMost(fn(&ProviderQuery) -> u32),
}

/// How to authenticate to a kind of provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login {
    /// No authentication.
    Open,
    /// A key as `Authorization: Bearer`, if there is one.
    Bearer,
    /// The bare key as `Authorization`, as search services expect it.
    Bare,
    /// A login with user name and password, which returns a token.
    Session,
}

/// A kind of provider.
#[derive(Debug)]
pub struct ProviderKind {
    pub name: &'static str,
    pub brings: ResultKind,
    pub reach: LookBackKind,
    /// Whether an item that it no longer shows was removed. Entries of a feed only make room for newer ones.
    pub judges_gone: bool,
    /// Whether it writes about the run's new items, and so has nothing to do without them.
    pub about_items: bool,
    pub login: Login,
    /// The default address; `None` if there is none.
    pub base_url: Option<&'static str>,
    /// Path of its simulator below the sandbox's address.
    pub sandbox: &'static str,
    /// The keys of its queries.
    pub asks: &'static [QueryKey],
    /// The required key.
    pub needs: &'static str,
    /// The number of calls a search makes.
    pub calls: CallCount,
    /// The number of entries in a full reply to one call, from which its price is expected.
    pub entries: fn(&ProviderQuery) -> u32,
    /// Whether a call costs as much as one of the search service, if neither its reply nor the configuration names a price.
    pub billed: bool,
    /// The configuration template of `init --template NAME`: its name and text.
    pub template: Option<(&'static str, &'static str)>,
}

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum QueryValue {
    Flag(bool),
    Count(u32),
    Text(String),
    Texts(Vec<String>),
}

/// State that a provider's search leaves for the topic's next one, such as a feed's validators or an engine's features.
/// Stored in one transaction with the search's findings.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Remembered {
    /// The name of the state, such as a feed's address.
    pub name: String,
    /// JSON, in a format of the kind's own.
    pub value: String,
}

/// A topic's query to a provider.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ProviderQuery {
    /// The provider's name.
    pub source: Source,
    /// The name of its kind.
    pub kind: String,
    /// The values by key.
    pub keys: BTreeMap<String, QueryValue>,
}

impl ProviderQuery {
    /// The text value of a key.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.keys.get(key) {
            Some(QueryValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The list value of a key.
    #[must_use]
    pub fn texts(&self, key: &str) -> &[String] {
        match self.keys.get(key) {
            Some(QueryValue::Texts(texts)) => texts,
            _ => &[],
        }
    }

    /// The number value of a key.
    #[must_use]
    pub fn count(&self, key: &str) -> Option<u32> {
        match self.keys.get(key) {
            Some(QueryValue::Count(count)) => Some(*count),
            _ => None,
        }
    }

    /// Whether the flag behind a key is set.
    #[must_use]
    pub fn flag(&self, key: &str) -> bool {
        matches!(self.keys.get(key), Some(QueryValue::Flag(true)))
    }

    /// The query text that is shown and stored with each search: the query or prompt, or the first URL, without its secrets,
    /// and the number of others.
    #[must_use]
    pub fn query_text(&self) -> String {
        if let Some(text) = self.text("query").or_else(|| self.text("prompt")) {
            return text.to_owned();
        }
        match self.texts("urls") {
            [] => self.kind.clone(),
            [one] => without_secrets(one),
            [first, rest @ ..] => format!("{} and {} more", without_secrets(first), rest.len()),
        }
    }
}
