//! Declares every kind of provider: what it returns, how far back it can search, and what a topic may ask it. To add a
//! kind, declare it here, implement its protocol in a file of `search/kinds`, and register that file in
//! `search/kinds/mod.rs`.

use super::provider::{CallCount, Login, LookBackKind, ProviderKind, QueryKey, QueryKeyType, ResultKind};

const QUERY: QueryKey = QueryKey {
    name: "query",
    shape: QueryKeyType::Text,
    default: Some("\"{query}\""),
    doc: "Query or prompt to send; {query} and {title} are filled in.",
};

/// The prompt of the search services' AI search.
const PROMPT: QueryKey = QueryKey { name: "prompt", ..QUERY };
const STREAMING: QueryKey = QueryKey {
    name: "streaming",
    shape: QueryKeyType::Flag,
    default: Some("false"),
    doc: "Stream the answer; if the stream breaks, the part received is kept.",
};
const PLATFORM: QueryKey =
    QueryKey { name: "platform", shape: QueryKeyType::Text, default: Some("\"X\""), doc: "Platform to search." };

/// The maximum number of hits of a query of Hacker News' search, set by the service.
pub const HACKER_NEWS_PAGE: u32 = 1_000;

/// The maximum number of posts of a page of Bluesky's search, set by its API.
pub const BLUESKY_PAGE: u32 = 100;

/// The address of the search service that speaks the dialect "desearch".
pub const DESEARCH_URL: &str = "https://api.desearch.ai";

/// Defaults for search services of the `[service]` type at another URL or with another key.
const SERVICE: ProviderKind = ProviderKind {
    name: "",
    brings: ResultKind::Posts,
    reach: LookBackKind::Since,
    judges_gone: true,
    about_items: false,
    login: Login::Bare,
    base_url: None,
    sandbox: "/",
    asks: &[],
    needs: "query",
    calls: CallCount::One,
    entries: |query| query.count("limit").unwrap_or(USUAL_ENTRIES),
    billed: true,
    template: None,
};

/// Entries of a full reply if the query does not set their number.
pub(super) const USUAL_ENTRIES: u32 = 20;

/// Every kind of provider.
pub static KINDS: &[ProviderKind] = &[
    ProviderKind {
        name: "hackernews",
        brings: ResultKind::Posts,
        reach: LookBackKind::Since,
        judges_gone: true,
        about_items: false,
        login: Login::Open,
        base_url: Some("https://hn.algolia.com"),
        sandbox: "/hackernews",
        asks: &[
            QUERY,
            QueryKey {
                name: "tags",
                shape: QueryKeyType::OneOf(|| vec!["(story,comment)", "story", "comment", "ask_hn", "show_hn"]),
                default: Some("\"(story,comment)\""),
                doc: "Stories, comments or both, or only Ask HN or Show HN.",
            },
            QueryKey {
                name: "limit",
                shape: QueryKeyType::Count(1, 10_000),
                default: Some("2000"),
                doc: "Maximum hits read per run, above 1,000 rounded up to pages of 1,000; a search with more is cut off.",
            },
        ],
        needs: "query",
        calls: CallCount::AtMost(|query| query.count("limit").unwrap_or(HACKER_NEWS_PAGE).div_ceil(HACKER_NEWS_PAGE)),
        entries: |query| query.count("limit").unwrap_or(HACKER_NEWS_PAGE).min(HACKER_NEWS_PAGE),
        billed: false,
        template: Some(("hn", include_str!("../../../templates/hn.toml"))),
    },
    ProviderKind {
        name: "searxng",
        brings: ResultKind::Pages,
        reach: LookBackKind::Buckets,
        judges_gone: false,
        about_items: false,
        login: Login::Open,
        base_url: None,
        sandbox: "/searxng",
        asks: &[
            QUERY,
            QueryKey {
                name: "categories",
                shape: QueryKeyType::Texts,
                default: None,
                doc: "Categories such as \"news\".",
            },
            QueryKey {
                name: "engines",
                shape: QueryKeyType::Texts,
                default: None,
                doc: "Engines to use instead of those of the categories.",
            },
            QueryKey { name: "language", shape: QueryKeyType::Text, default: None, doc: "Language such as \"en\"." },
            QueryKey {
                name: "time_range",
                shape: QueryKeyType::OneOf(|| vec!["day", "week", "month", "year", "any"]),
                default: None,
                doc: "How far back to search; by default the shortest range that contains the topic's window. \"any\" sends no range.",
            },
            QueryKey {
                name: "pages",
                shape: QueryKeyType::Count(1, 10),
                default: Some("1"),
                doc: "Pages of results read per run, one call each.",
            },
        ],
        needs: "query",
        // With a time range also `/config`: at best once a day, but in every run while that fails.
        calls: CallCount::AtMost(|query| {
            query.count("pages").unwrap_or(1) + u32::from(query.text("time_range") != Some("any"))
        }),
        entries: |_| USUAL_ENTRIES,
        billed: false,
        template: Some(("searxng", include_str!("../../../templates/searxng.toml"))),
    },
    ProviderKind {
        name: "feeds",
        brings: ResultKind::Pages,
        reach: LookBackKind::Feed,
        judges_gone: false,
        about_items: false,
        login: Login::Open,
        base_url: Some("https://feeds.invalid"),
        sandbox: "/feeds",
        asks: &[QueryKey {
            name: "urls",
            shape: QueryKeyType::Texts,
            default: None,
            doc: "Addresses of RSS, Atom or JSON feeds.",
        }],
        needs: "urls",
        calls: CallCount::Named(|query| u32::try_from(query.texts("urls").len()).unwrap_or(u32::MAX)),
        entries: |_| USUAL_ENTRIES,
        billed: false,
        template: Some(("feeds", include_str!("../../../templates/feeds.toml"))),
    },
    ProviderKind {
        name: "bluesky",
        brings: ResultKind::Posts,
        reach: LookBackKind::Since,
        judges_gone: true,
        about_items: false,
        login: Login::Session,
        base_url: Some("https://bsky.social"),
        sandbox: "/bluesky",
        asks: &[
            QUERY,
            QueryKey { name: "lang", shape: QueryKeyType::Text, default: None, doc: "Language such as \"en\"." },
            QueryKey {
                name: "author",
                shape: QueryKeyType::Text,
                default: None,
                doc: "Handle of the only author to search.",
            },
            QueryKey { name: "tag", shape: QueryKeyType::Text, default: None, doc: "Hashtag, without #." },
            QueryKey {
                name: "limit",
                shape: QueryKeyType::Count(1, 10_000),
                default: Some("500"),
                doc: "Maximum posts read per run, above 100 rounded up to pages of 100, one call each; a search with more is cut off.",
            },
        ],
        needs: "query",
        calls: CallCount::AtMost(|query| query.count("limit").unwrap_or(500).div_ceil(BLUESKY_PAGE)),
        entries: |query| query.count("limit").unwrap_or(BLUESKY_PAGE).min(BLUESKY_PAGE),
        billed: false,
        template: Some(("bluesky", include_str!("../../../templates/bluesky.toml"))),
    },
    ProviderKind {
        name: "openai",
        brings: ResultKind::Answer,
        reach: LookBackKind::Moment,
        judges_gone: false,
        about_items: true,
        login: Login::Bearer,
        base_url: None,
        sandbox: "/openai/v1",
        asks: &[
            QueryKey { name: "model", shape: QueryKeyType::Text, default: None, doc: "Name of the model." },
            QueryKey {
                name: "prompt",
                shape: QueryKeyType::Text,
                default: Some("\"Sum up what is new about {title} in at most ten sentences.\""),
                doc: "What to write about the new items of the run; {query} and {title} are filled in.",
            },
            QueryKey {
                name: "items",
                shape: QueryKeyType::Count(1, 1_000),
                default: Some("200"),
                doc: "Maximum new items sent to the model; near-copies are sent once.",
            },
            QueryKey {
                name: "input_tokens",
                shape: QueryKeyType::Count(1_000, 1_000_000),
                default: Some("6000"),
                doc: "Maximum tokens of a request (estimated); the longest texts are shortened first.",
            },
            QueryKey {
                name: "streaming",
                shape: QueryKeyType::Flag,
                default: Some("false"),
                doc: "Stream the answer; if the stream breaks, the part received is kept.",
            },
            QueryKey {
                name: "max_tokens",
                shape: QueryKeyType::Count(1, 1_000_000),
                default: None,
                doc: "Maximum answer length, for servers that accept `max_tokens`; not sent by default.",
            },
            QueryKey {
                name: "max_completion_tokens",
                shape: QueryKeyType::Count(1, 1_000_000),
                default: None,
                doc: "Maximum answer length, for servers that accept `max_completion_tokens`; not sent by default.",
            },
        ],
        needs: "model",
        calls: CallCount::One,
        entries: |_| 1,
        billed: false,
        template: Some(("openai", include_str!("../../../templates/openai.toml"))),
    },
    ProviderKind {
        name: "desearch",
        base_url: Some(DESEARCH_URL),
        asks: &[
            QUERY,
            QueryKey {
                name: "limit",
                shape: QueryKeyType::Count(1, 100),
                default: Some("100"),
                doc: "Maximum posts per reply; a search with more is cut off.",
            },
        ],
        ..SERVICE
    },
    ProviderKind {
        name: "desearch-web",
        base_url: Some(DESEARCH_URL),
        brings: ResultKind::Pages,
        reach: LookBackKind::Moment,
        asks: &[QUERY],
        ..SERVICE
    },
    ProviderKind {
        name: "desearch-ai",
        base_url: Some(DESEARCH_URL),
        entries: |_| 1,
        brings: ResultKind::Answer,
        reach: LookBackKind::Moment,
        judges_gone: false,
        asks: &[
            PROMPT,
            QueryKey {
                name: "tools",
                shape: QueryKeyType::Texts,
                default: None,
                doc: "Where to search, such as \"web\".",
            },
            STREAMING,
        ],
        needs: "prompt",
        ..SERVICE
    },
    ProviderKind { name: "spec", asks: &[QUERY, PLATFORM], ..SERVICE },
    ProviderKind {
        name: "spec-web",
        brings: ResultKind::Pages,
        reach: LookBackKind::Moment,
        asks: &[
            QUERY,
            QueryKey {
                name: "limit",
                shape: QueryKeyType::Count(1, 100),
                default: Some("10"),
                doc: "Maximum pages per reply.",
            },
        ],
        ..SERVICE
    },
    ProviderKind {
        name: "spec-ai",
        entries: |_| 1,
        brings: ResultKind::Answer,
        reach: LookBackKind::Moment,
        judges_gone: false,
        asks: &[
            PROMPT,
            QueryKey { name: "model", shape: QueryKeyType::Text, default: Some("\"NOVA\""), doc: "Name of the model." },
            STREAMING,
        ],
        needs: "prompt",
        ..SERVICE
    },
];

impl ProviderKind {
    /// Returns the kind with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.name == name)
    }
}
