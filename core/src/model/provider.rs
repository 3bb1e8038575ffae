//! Providers: what each kind of them brings, how far back it can look, and what a topic may ask it. The kinds
//! themselves are in `provider_kinds`; how a kind is spoken to is in `search/kinds`.

use std::collections::BTreeMap;

use super::{Source, closed_list};

closed_list! {
    /// What a source finds.
    Brings {
        /// Short texts of people, with a tone.
        Posts = "posts",
        /// Documents with an address.
        Pages = "pages",
        /// A written summary.
        Answer = "answer",
    }
}

closed_list! {
    /// How far back a kind can be asked to look.
    Reach {
        /// Since an instant, exactly.
        Since = "since",
        /// A day, a week, a month or a year.
        Buckets = "buckets",
        /// As far as what it serves goes back.
        Feed = "feed",
        /// Not at all: its reply is about the moment.
        Moment = "moment",
    }
}

/// What may stand behind a key of a topic's question to a provider.
#[derive(Debug, Clone, Copy)]
pub enum AskShape {
    Text,
    Texts,
    Count(i64, i64),
    Flag,
    OneOf(fn() -> Vec<&'static str>),
}

/// A key of a topic's question to a provider, written `NAME.key`.
#[derive(Debug, Clone, Copy)]
pub struct AskKey {
    pub name: &'static str,
    pub shape: AskShape,
    /// As TOML. `{query}` and `{title}` are filled in.
    pub default: Option<&'static str>,
    pub doc: &'static str,
}

/// How a kind lets in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login {
    /// Anybody.
    Open,
    /// A key as `Authorization: Bearer`, if there is one.
    Bearer,
    /// The key itself as `Authorization`: a search service's way.
    Bare,
    /// A user name and a password, for which it gives a token.
    Session,
}

/// A kind of provider.
#[derive(Debug)]
pub struct ProviderKind {
    pub name: &'static str,
    pub brings: Brings,
    pub reach: Reach,
    /// Whether what it stops showing was taken away; entries of a feed only make room for newer ones.
    pub judges_gone: bool,
    /// Whether it writes about the run's new items, and so has nothing to do without them.
    pub about_items: bool,
    pub login: Login,
    /// Where it is when the configuration does not say; `None` when there is no usual place.
    pub base_url: Option<&'static str>,
    /// Path of its stand-in below the sandbox's address.
    pub sandbox: &'static str,
    /// What a topic may ask it.
    pub asks: &'static [AskKey],
    /// The key without which there is nothing to ask.
    pub needs: &'static str,
    /// Calls that a usual search makes.
    pub calls: fn(&ProviderQuery) -> u32,
    /// A file to begin with, for `init --template NAME`: its name and text.
    pub template: Option<(&'static str, &'static str)>,
}

/// A value of a question.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub enum AskValue {
    Flag(bool),
    Count(u32),
    Text(String),
    Texts(Vec<String>),
}

/// Something that a search of a provider leaves for the topic's next one: what a feed was like, what an engine can do. It
/// is stored with what the search found, or not at all.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Remembered {
    /// What it is about, such as a feed's address.
    pub name: String,
    /// JSON of the kind's own.
    pub value: String,
}

/// What a topic asks a provider.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ProviderQuery {
    /// The provider's name.
    pub source: Source,
    /// Name of its kind.
    pub kind: String,
    /// By key.
    pub keys: BTreeMap<String, AskValue>,
}

impl ProviderQuery {
    /// The text behind a key.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.keys.get(key) {
            Some(AskValue::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The texts behind a key.
    #[must_use]
    pub fn texts(&self, key: &str) -> &[String] {
        match self.keys.get(key) {
            Some(AskValue::Texts(texts)) => texts,
            _ => &[],
        }
    }

    /// The number behind a key.
    #[must_use]
    pub fn count(&self, key: &str) -> Option<u32> {
        match self.keys.get(key) {
            Some(AskValue::Count(count)) => Some(*count),
            _ => None,
        }
    }

    /// Whether the flag behind a key is set.
    #[must_use]
    pub fn flag(&self, key: &str) -> bool {
        matches!(self.keys.get(key), Some(AskValue::Flag(true)))
    }

    /// What is asked, as it is shown and kept with each search: the query, or the first address and how many more.
    #[must_use]
    pub fn words(&self) -> String {
        if let Some(text) = self.text("query").or_else(|| self.text("prompt")) {
            return text.to_owned();
        }
        match self.texts("urls") {
            [] => self.kind.clone(),
            [one] => one.clone(),
            [first, rest @ ..] => format!("{first} and {} more", rest.len()),
        }
    }
}
