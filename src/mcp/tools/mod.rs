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
        title: "Topics that are watched",
        told: "Topics by id: what each asks and when, how its last run ended, how its sources stand, how many items are new in \
               the last 24 hours (before the topic's filter).",
        arguments: &[
            Argument::new("topic", Kind::Text(64), "Only this topic"),
            Argument::new("limit", Kind::Number(1, 50, 20), "At most so many topics"),
            CURSOR,
        ],
        handler: |asked| Box::pin(topics::answer(asked)),
    },
    Tool {
        name: "search_items",
        title: "Search a topic's items",
        told: "Posts and pages that a topic found, near-copies under the item they began with. Without `search`, all of them. A \
               page may hold fewer items than `limit`, even none, where many are hidden: only a `next_cursor` of null ends the list.",
        arguments: &[
            TOPIC,
            Argument::new(
                "search",
                Kind::Text(1_000),
                "Only items with these words: all of them, \"a phrase\", begin*, -not",
            ),
            Argument::new("tone", Kind::Word(&["negative", "neutral", "positive"]), "Only items with this tone"),
            Argument::new("source", Kind::Source, "Only what this source showed: social, web, ai, or a provider"),
            Argument::new("author", Kind::Text(100), "Only items by this handle"),
            Argument::new(
                "since",
                Kind::Instant,
                "Only items first seen at or after: 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d (ago)",
            ),
            Argument::new(
                "new_since",
                Kind::Instant,
                "Only items first seen at or after, and not older than the topic's window then (forms as for `since`)",
            ),
            Argument::new(
                "order",
                Kind::Word(&["new", "engagement", "negative", "positive"]),
                "Order [new]; any other looks at the 1,000 items first seen last",
            ),
            Argument::new(
                "copies",
                Kind::Word(&["fold", "all"]),
                "Near-copies folded [fold], or as items of their own",
            ),
            Argument::new(
                "filtered",
                Kind::Word(&["hide", "keep", "only"]),
                "Items that the topic's filter hides [hide]",
            ),
            Argument::new("limit", Kind::Number(1, 50, 10), "At most so many items"),
            CURSOR,
        ],
        handler: |asked| Box::pin(items::answer(asked)),
    },
    Tool {
        name: "get_item",
        title: "One item",
        told: "One post or page with its whole text: as each topic knows it, where and when it was seen, what its words were, its \
               near-copies.",
        arguments: &[Argument::new("key", Kind::Text(700), "A key of the item, or its address").needed()],
        handler: |asked| Box::pin(item::answer(asked)),
    },
    Tool {
        name: "get_terms",
        title: "Terms and themes of a period",
        told: "What a topic's texts say more often than expected from the four weeks before, and the themes that makes: at most ten \
               terms and seven themes of a period of up to 32 days. `items` counts items, `authors` people, `texts` different \
               texts by different people, which is what is compared with `expected`.",
        arguments: &[
            TOPIC,
            Argument::new(
                "since",
                Kind::Instant,
                "Begin of the period [24h]: 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d (ago)",
            ),
            Argument::new("until", Kind::Instant, "End of the period [now]; forms as for `since`"),
        ],
        handler: |asked| Box::pin(terms::answer(asked)),
    },
    Tool {
        name: "get_report",
        title: "Report of a day, week or month",
        told: "The report of a period as Markdown, made now from what is stored, with its main figures as fields: the last complete \
               day unless `date`, `week` or `month` says otherwise. Of the topics in `topics` (at most 20), or a report of the \
               configuration by its `name`.",
        arguments: &[
            Argument::new("name", Kind::Text(64), "A report of the configuration"),
            Argument::new("topics", Kind::Texts(report::MOST_TOPICS, 64), "Ids of topics, for a report of these"),
            Argument::new("date", Kind::Text(10), "A local day: 2026-03-11"),
            Argument::new("week", Kind::Text(8), "An ISO week: 2026-W12"),
            Argument::new("month", Kind::Text(7), "A month: 2026-03"),
            Argument::new("timezone", Kind::Text(64), "IANA zone of the days [UTC]; not with `name`"),
        ],
        handler: |asked| Box::pin(report::answer(asked)),
    },
    Tool {
        name: "get_changes",
        title: "What changed in a topic",
        told: "New, gone, edited and rising items between two runs, with counts of all. What came with the first answer to a query \
               is `baseline` and not new; `outside` was older than the window when it was found.",
        arguments: &[
            TOPIC,
            Argument::new(
                "since",
                Kind::Text(200),
                "A run, `last-report`, or 2026-03-11, 2026-03-11T09:00:00Z, 24h, 7d (ago) [the run before the last]",
            ),
            Argument::new("limit", Kind::Number(0, 50, 10), "At most so many items of each list"),
        ],
        handler: |asked| Box::pin(changes::answer(asked)),
    },
    Tool {
        name: "get_coverage",
        title: "Which times were searched",
        told: "Which spans each source of a topic covered in a period, the holes between them and their causes. Figures of a time \
               in a hole are too low.",
        arguments: &[
            TOPIC,
            Argument::new(
                "since",
                Kind::Instant,
                "Begin of the period, which ends now [7d]: 2026-03-11, 2026-03-11T09:00:00Z, or 24h, 7d (ago)",
            ),
            Argument::new("source", Kind::Source, "Only this source: social, web, ai, or a provider"),
        ],
        handler: |asked| Box::pin(coverage::answer(asked)),
    },
    Tool {
        name: "get_cost",
        title: "Calls and cost",
        told: "Calls made and dollars spent per UTC day, of the search service, of each other provider and of a topic, with the \
               limits of a day.",
        arguments: &[
            Argument::new("days", Kind::Number(1, 31, 1), "How many UTC days, today the last"),
            Argument::new("topic", Kind::Text(64), "Also what this topic used"),
        ],
        handler: |asked| Box::pin(cost::answer(asked)),
    },
];
