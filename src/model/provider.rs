//! Providers: what each kind of them brings, how far back it can look, and what a topic may ask it. One entry of [`KINDS`]
//! for each kind; reports, coverage, comparisons and the configuration take it from here. How a kind is spoken to is in
//! `search/kinds`.

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
    /// How a kind is told how far back to look.
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
}

const QUERY: AskKey = AskKey {
    name: "query",
    shape: AskShape::Text,
    default: Some("\"{query}\""),
    doc: "What it is asked; {query} and {title} are filled in.",
};

/// Every kind.
pub static KINDS: &[ProviderKind] = &[
    ProviderKind {
        name: "hackernews",
        brings: Brings::Posts,
        reach: Reach::Since,
        judges_gone: true,
        login: Login::Open,
        base_url: Some("https://hn.algolia.com"),
        sandbox: "/hackernews",
        asks: &[
            QUERY,
            AskKey {
                name: "tags",
                shape: AskShape::OneOf(|| vec!["(story,comment)", "story", "comment", "ask_hn", "show_hn"]),
                default: Some("\"(story,comment)\""),
                doc: "Stories, comments or both.",
            },
            AskKey {
                name: "limit",
                shape: AskShape::Count(1, 10_000),
                default: Some("2000"),
                doc: "Most hits read in a run; a search with more is cut.",
            },
        ],
        needs: "query",
        calls: |_| 1,
    },
    ProviderKind {
        name: "searxng",
        brings: Brings::Pages,
        reach: Reach::Buckets,
        judges_gone: false,
        login: Login::Open,
        base_url: None,
        sandbox: "/searxng",
        asks: &[
            QUERY,
            AskKey { name: "categories", shape: AskShape::Texts, default: None, doc: "Categories such as \"news\"." },
            AskKey {
                name: "engines",
                shape: AskShape::Texts,
                default: None,
                doc: "Engines to ask instead of those of the categories.",
            },
            AskKey { name: "language", shape: AskShape::Text, default: None, doc: "Language such as \"en\"." },
            AskKey {
                name: "time_range",
                shape: AskShape::OneOf(|| vec!["day", "week", "month", "year", "any"]),
                default: None,
                doc: "How far back to look; by default the smallest that holds the topic's window. \"any\" sends none.",
            },
            AskKey {
                name: "pages",
                shape: AskShape::Count(1, 10),
                default: Some("1"),
                doc: "Pages of results read in a run, a call each.",
            },
        ],
        needs: "query",
        calls: |query| query.count("pages").unwrap_or(1),
    },
    ProviderKind {
        name: "feeds",
        brings: Brings::Pages,
        reach: Reach::Feed,
        judges_gone: false,
        login: Login::Open,
        base_url: Some("https://feeds.invalid"),
        sandbox: "/feeds",
        asks: &[AskKey {
            name: "urls",
            shape: AskShape::Texts,
            default: None,
            doc: "Addresses of RSS, Atom or JSON feeds.",
        }],
        needs: "urls",
        calls: |query| u32::try_from(query.texts("urls").len()).unwrap_or(u32::MAX),
    },
    ProviderKind {
        name: "bluesky",
        brings: Brings::Posts,
        reach: Reach::Since,
        judges_gone: true,
        login: Login::Session,
        base_url: Some("https://bsky.social"),
        sandbox: "/bluesky",
        asks: &[
            QUERY,
            AskKey { name: "lang", shape: AskShape::Text, default: None, doc: "Language such as \"en\"." },
            AskKey { name: "author", shape: AskShape::Text, default: None, doc: "Handle of the only author wanted." },
            AskKey { name: "tag", shape: AskShape::Text, default: None, doc: "Hashtag, without #." },
            AskKey {
                name: "limit",
                shape: AskShape::Count(1, 10_000),
                default: Some("500"),
                doc: "Most posts read in a run, 100 a call; a search with more is cut.",
            },
        ],
        needs: "query",
        calls: |_| 1,
    },
    ProviderKind {
        name: "openai",
        brings: Brings::Answer,
        reach: Reach::Moment,
        judges_gone: false,
        login: Login::Bearer,
        base_url: None,
        sandbox: "/openai/v1",
        asks: &[
            AskKey { name: "model", shape: AskShape::Text, default: None, doc: "Name of the model." },
            AskKey {
                name: "prompt",
                shape: AskShape::Text,
                default: Some("\"Sum up what is new about {title} in at most ten sentences.\""),
                doc: "What to write about the new items of the run; {query} and {title} are filled in.",
            },
            AskKey {
                name: "items",
                shape: AskShape::Count(1, 1_000),
                default: Some("200"),
                doc: "Most new items it is given, near-copies once.",
            },
            AskKey {
                name: "input_tokens",
                shape: AskShape::Count(1_000, 1_000_000),
                default: Some("6000"),
                doc: "Most tokens of a question, by estimate; the longest texts are shortened first.",
            },
            AskKey {
                name: "streaming",
                shape: AskShape::Flag,
                default: Some("false"),
                doc: "Ask for a stream, of which a part is kept when it breaks.",
            },
            AskKey {
                name: "max_tokens",
                shape: AskShape::Count(1, 1_000_000),
                default: None,
                doc: "Longest answer, for servers that take `max_tokens`; not sent otherwise.",
            },
            AskKey {
                name: "max_completion_tokens",
                shape: AskShape::Count(1, 1_000_000),
                default: None,
                doc: "Longest answer, for servers that take `max_completion_tokens`; not sent otherwise.",
            },
        ],
        needs: "model",
        calls: |_| 1,
    },
];

impl ProviderKind {
    /// The kind of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.name == name)
    }
}

/// What a search of this source and operation finds. The operation of a provider's search is its kind; one that this
/// version does not know is taken for one of pages.
#[must_use]
pub fn brings(source: Source, operation: &str) -> Brings {
    match source {
        Source::Social => Brings::Posts,
        Source::Web => Brings::Pages,
        Source::Ai => Brings::Answer,
        _ => ProviderKind::named(operation).map_or(Brings::Pages, |kind| kind.brings),
    }
}

/// Whether searches of a provider of this kind cover spans of time; the others are checks at an instant.
#[must_use]
pub fn covers_spans(kind: &str) -> bool {
    ProviderKind::named(kind).is_some_and(|kind| matches!(kind.reach, Reach::Since | Reach::Feed))
}

/// Whether an item that a source of this operation does not show any more was taken away.
#[must_use]
pub fn judges_gone(source: Source, operation: &str) -> bool {
    match source {
        Source::Social | Source::Web => true,
        Source::Ai => false,
        _ => ProviderKind::named(operation).is_some_and(|kind| kind.judges_gone),
    }
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
#[derive(Debug, Clone, PartialEq, Eq)]
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

    /// Calls that a usual search makes.
    #[must_use]
    pub fn calls(&self) -> i64 {
        ProviderKind::named(&self.kind).map_or(1, |kind| i64::from((kind.calls)(self)))
    }

    /// What it finds.
    #[must_use]
    pub fn brings(&self) -> Brings {
        brings(self.source, &self.kind)
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
