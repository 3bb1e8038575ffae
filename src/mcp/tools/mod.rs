//! The table of all tools; descriptions, schemas and calls are made from it.

mod changes;
mod cost;
mod coverage;
mod item;
mod items;
mod report;
mod terms;
mod topics;

use super::argument::{Argument, Kind};
use super::tool::{CURSOR, TOPIC, Tool};

/// In the order in which clients list them.
pub(super) static TOOLS: &[Tool] = &[
    Tool {
        name: "list_topics",
        title: "Watched topics",
        description: "Topics by id: queries and schedule, how the last run ended, the state of each source, how many items \
               are new in the last 24 hours (before the topic's filter).",
        arguments: &[
            Argument::new("topic", Kind::Text(64), "Only this topic"),
            Argument::new("limit", Kind::Number(1, 50, 20), "Maximum number of topics"),
            CURSOR,
        ],
        handler: |call| Box::pin(topics::answer(call)),
    },
    Tool {
        name: "search_items",
        title: "Search a topic's items",
        description: "Posts and pages that a topic found, with near-copies under the first of them. Without `search`, all \
               items. A page may hold fewer items than `limit`, even none, if many are hidden: the list ends only when \
               `next_cursor` is null.",
        arguments: &[
            TOPIC,
            Argument::new(
                "search",
                Kind::Text(1_000),
                "Only items with these words: all of them, \"a phrase\", prefix*, -not",
            ),
            Argument::new("tone", Kind::Word(&["negative", "neutral", "positive"]), "Only items with this tone"),
            Argument::new("source", Kind::Source, "Only items from this source: social, web, ai, or a provider"),
            Argument::new("author", Kind::Text(100), "Only items by this handle"),
            Argument::new(
                "since",
                Kind::Instant,
                "Only items first seen at or after: 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d (ago)",
            ),
            Argument::new(
                "new_since",
                Kind::Instant,
                "Only items first seen at or after this time, and then within the topic's window (same forms as `since`)",
            ),
            Argument::new(
                "order",
                Kind::Word(&["new", "engagement", "negative", "positive"]),
                "Order [new]; others cover the 1,000 items first seen most recently; with rare words in `search`, all",
            ),
            Argument::new("copies", Kind::Word(&["fold", "all"]), "Near-copies folded [fold], or as separate items"),
            Argument::new(
                "filtered",
                Kind::Word(&["hide", "keep", "only"]),
                "Items that the topic's filter hides [hide]",
            ),
            Argument::new("limit", Kind::Number(1, 50, 10), "Maximum number of items"),
            CURSOR,
        ],
        handler: |call| Box::pin(items::answer(call)),
    },
    Tool {
        name: "get_item",
        title: "One item",
        description: "One post or page with its full text: as each topic knows it, where and when it was seen, its earlier \
               texts, its near-copies.",
        arguments: &[Argument::new("key", Kind::Text(700), "A key of the item, or its address").needed()],
        handler: |call| Box::pin(item::answer(call)),
    },
    Tool {
        name: "get_terms",
        title: "Terms and themes of a period",
        description: "Terms that a topic's texts use more often than the four weeks before suggest, and themes made of such \
               terms: at most ten terms and seven themes, for a period of up to 32 days. `items` counts items, \
               `authors` people, `texts` different texts by different people; `texts` is what is compared with \
               `expected`.",
        arguments: &[
            TOPIC,
            Argument::new(
                "since",
                Kind::Instant,
                "Start of the period [24h]: 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d (ago)",
            ),
            Argument::new("until", Kind::Instant, "End of the period [now]; same forms as `since`"),
        ],
        handler: |call| Box::pin(terms::answer(call)),
    },
    Tool {
        name: "get_report",
        title: "Report of a day, week or month",
        description: "The report of a period as Markdown, created now from stored data, with its main figures as fields. It \
               covers the topics in `topics` (at most 20), or is a configured report, given by `name`. Without `date`, \
               `week` or `month`: the last complete day, or the period of the configured report.",
        arguments: &[
            Argument::new("name", Kind::Text(64), "Name of a configured report"),
            Argument::new("topics", Kind::Texts(report::MOST_TOPICS, 64), "Ids of the topics to report on"),
            Argument::new("date", Kind::Text(10), "A local day: 2026-03-11"),
            Argument::new("week", Kind::Text(8), "An ISO week: 2026-W12"),
            Argument::new("month", Kind::Text(7), "A month: 2026-03"),
            Argument::new("timezone", Kind::Text(64), "IANA zone of the days [UTC]; not with `name`"),
        ],
        handler: |call| Box::pin(report::answer(call)),
    },
    Tool {
        name: "get_changes",
        title: "What changed in a topic",
        description: "New, gone, edited and rising items between two runs, with total counts. What came with the first answer \
               to a query is `baseline`, not new; `outside` was not published in the window of the search that found it.",
        arguments: &[
            TOPIC,
            Argument::new(
                "since",
                Kind::Text(200),
                "A run, `last-report`, or 2026-03-11, 2026-03-11T09:00:00Z, 24h, 7d (ago) [the last earlier run that found something]",
            ),
            Argument::new("limit", Kind::Number(0, 50, 10), "Maximum number of items in each list"),
        ],
        handler: |call| Box::pin(changes::answer(call)),
    },
    Tool {
        name: "get_coverage",
        title: "Which times were searched",
        description: "Which spans each source of a topic covered in a period, the gaps between them and their causes. Figures \
               for times in a gap are too low.",
        arguments: &[
            TOPIC,
            Argument::new(
                "since",
                Kind::Instant,
                "Start of the period, which ends now [7d]: 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d (ago)",
            ),
            Argument::new("source", Kind::Source, "Only this source: social, web, ai, or a provider"),
        ],
        handler: |call| Box::pin(coverage::answer(call)),
    },
    Tool {
        name: "get_cost",
        title: "Calls and cost",
        description: "Calls and US dollars spent per UTC day, for the search service, each other provider and a topic, how \
               much of the dollars no bill confirms, and the daily limits.",
        arguments: &[
            Argument::new("days", Kind::Number(1, 31, 1), "Number of UTC days, including today"),
            Argument::new("topic", Kind::Text(64), "Also the usage of this topic"),
        ],
        handler: |call| Box::pin(cost::answer(call)),
    },
];
