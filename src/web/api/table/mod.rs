//! Every operation of the API. Routes, checks and the document are made from this table.

mod annotations;
mod exports;
mod marks;
pub(super) mod operation;
pub(super) mod parameter;
pub(super) mod parameters;
mod requests;

use super::call::form;
use super::items::item;
use super::{alerts, answers, days, document, editions, items, runs, terms, topics};
use crate::model::Role::Read;
use crate::web::access::access_rule::AccessRule::{InScope, OfAll, OfTopic};
use operation::{Operation, ResponseKind, get};
use parameter::{Kind, Parameter};
use parameters::{
    AUTHOR, COPIES, FIRST_SEEN, HIDDEN, ID, KEY, LIMIT, NEW_SINCE, NOISE, OF_ALERT, OF_ITEM, OF_TOPIC, ORDERS, RUN,
    SEARCH, SOURCE, STATES, TOKEN, TONE, TOPIC,
};

/// In the order of the document.
pub(super) static OPERATIONS: &[Operation] = &[
    get(
        "/api/v1/openapi.json",
        InScope(Read),
        "document",
        "This document",
        "Generated from the table that routes and checks requests.",
        &[],
        "Document",
        |call| Box::pin(document::show(call, OPERATIONS)),
    ),
    get(
        "/api/v1/topics",
        InScope(Read),
        "listTopics",
        "Watched topics, by id",
        "",
        &[&LIMIT, &TOKEN],
        "Topics",
        |call| Box::pin(topics::list(call)),
    ),
    Operation {
        refuses: &[404],
        ..get("/api/v1/topics/{topic}", OfTopic(Read), "getTopic", "One topic", "", &[&OF_TOPIC], "OneTopic", |call| {
            Box::pin(topics::one(call))
        })
    },
    Operation {
        refuses: &[404, 409],
        ..get(
            "/api/v1/topics/{topic}/items",
            OfTopic(Read),
            "listItems",
            "A topic's items",
            "New first, unless `order` says otherwise. A page may hold fewer rows than `limit`, even none, if many are \
             hidden: the list ends only when `next_page_token` is null. `engagement`, `negative` and `positive` cover \
             the 1,000 items first seen most recently (`complete` is then false); with a `search` for rare words, all \
             that have them. `velocity`, `relevance` and `suggested` have one page and take no `search`, `tone`, \
             `source`, `author`, `copies` or time (`suggested` also no `noise`, `filtered`): `velocity` covers \
             the last two days, `relevance` the 5,000 items first seen most recently (none while `learned` is null); \
             `suggested` lists up to five of these 5,000 that teach most if they are marked next.",
            &[
                &OF_TOPIC,
                &SEARCH,
                &TONE,
                &SOURCE,
                &AUTHOR,
                &FIRST_SEEN,
                &NEW_SINCE,
                &HIDDEN,
                &Parameter::query("order", ORDERS, "Order [`new`]", "engagement"),
                &Parameter::query(
                    "copies",
                    COPIES,
                    "Near-copies under the first of them [`fold`], or as separate rows",
                    "all",
                ),
                &NOISE,
                &LIMIT,
                &TOKEN,
            ],
            "Items",
            |call| Box::pin(items::list(call)),
        )
    },
    Operation {
        refuses: &[404],
        ..get(
            "/api/v1/topics/{topic}/answers",
            OfTopic(Read),
            "listAnswers",
            "A topic's answers, the latest first",
            "",
            &[&OF_TOPIC, &LIMIT, &TOKEN],
            "Answers",
            |call| Box::pin(answers::list(call)),
        )
    },
    Operation {
        refuses: &[404],
        ..get(
            "/api/v1/topics/{topic}/days",
            OfTopic(Read),
            "listDays",
            "A topic's last fourteen local days",
            "Counted in the background, before the topic's filter; an item counts on the day it was published, or first \
             seen if that was earlier or it has no date.",
            &[&OF_TOPIC],
            "Days",
            |call| Box::pin(days::list(call)),
        )
    },
    Operation {
        refuses: &[404, 409],
        ..get(
            "/api/v1/topics/{topic}/terms",
            OfTopic(Read),
            "listTerms",
            "Terms that a topic's texts use more often than in the four weeks before, and its themes",
            "At most ten terms and seven themes, for a span of up to 32 days that ends now.",
            &[&OF_TOPIC, &Parameter::query("since", Kind::Written(&form::INSTANT), "Start of the span [24h]", "7d")],
            "Terms",
            |call| Box::pin(terms::list(call)),
        )
    },
    requests::LIST,
    requests::ASK,
    requests::ONE,
    Operation {
        refuses: &[404],
        ..get(
            "/api/v1/topics/{topic}/marks",
            OfTopic(Read),
            "listMarks",
            "A topic's marks, the latest first",
            "",
            &[&OF_TOPIC, &LIMIT, &TOKEN],
            "Marks",
            |call| Box::pin(items::marks::list(call)),
        )
    },
    marks::MARK,
    marks::UNMARK,
    Operation {
        refuses: &[404],
        ..get(
            "/api/v1/items",
            InScope(Read),
            "getItem",
            "One item, by any of its keys",
            "Its latest 100 sightings, 20 earlier wordings and 50 near-copies.",
            &[&KEY],
            "OneItem",
            |call| Box::pin(item::one(call)),
        )
    },
    Operation {
        refuses: &[404],
        ..get(
            "/api/v1/items/{key}/story",
            OfAll(Read),
            "getStory",
            "How an item spread",
            "The item, its near-copies, and items that share a link with it: at most 500, those seen first. \
             Percent-encode the key in the path.",
            &[&OF_ITEM],
            "OneStory",
            |call| Box::pin(item::story(call)),
        )
    },
    get(
        "/api/v1/runs",
        InScope(Read),
        "listRuns",
        "The ledger: runs with their searches, the latest first",
        "Includes missed and skipped slots and waiting runs. A run that starts while you page moves to its start time.",
        &[
            &TOPIC,
            &Parameter::query("state", STATES, "Only runs in this state", "failed"),
            &Parameter::query(
                "since",
                Kind::Written(&form::INSTANT),
                "Only runs started or due at or after this time",
                "7d",
            ),
            &LIMIT,
            &TOKEN,
        ],
        "Runs",
        |call| Box::pin(runs::list(call)),
    ),
    Operation {
        refuses: &[404],
        ..get(
            "/api/v1/runs/{run}",
            InScope(Read),
            "getRun",
            "One run with its searches",
            "",
            &[&Parameter::path("run", RUN, "Id of the run", "topic:acme@2026-03-11T09:00:00Z")],
            "OneRun",
            |call| Box::pin(runs::one(call)),
        )
    },
    get(
        "/api/v1/alerts",
        OfAll(Read),
        "listAlerts",
        "Configured alerts and their state, by name",
        "",
        &[&LIMIT, &TOKEN],
        "Alerts",
        |call| Box::pin(alerts::list(call)),
    ),
    Operation {
        refuses: &[404],
        ..get("/api/v1/alerts/{alert}", OfAll(Read), "getAlert", "One alert", "", &[&OF_ALERT], "OneAlert", |call| {
            Box::pin(alerts::one(call))
        })
    },
    get(
        "/api/v1/alert-events",
        OfAll(Read),
        "listAlertEvents",
        "Alert events, the latest first",
        "Includes alerts that are no longer configured; kept for 400 days.",
        &[&Parameter::query("alert", ID, "Only events of this alert", "recalls"), &LIMIT, &TOKEN],
        "AlertEvents",
        |call| Box::pin(alerts::events(call)),
    ),
    requests::LIST_OF_ALERT,
    requests::ASK_OF_ALERT,
    requests::ONE_OF_ALERT,
    get(
        "/api/v1/reports",
        OfAll(Read),
        "listReports",
        "Stored reports, the latest first",
        "",
        &[&LIMIT, &TOKEN],
        "Made",
        |call| Box::pin(editions::reports(call)),
    ),
    get(
        "/api/v1/exports",
        OfAll(Read),
        "listExports",
        "Editions of scheduled exports, the latest first",
        "",
        &[&LIMIT, &TOKEN],
        "Made",
        |call| Box::pin(editions::exports(call)),
    ),
    Operation {
        answered: ResponseKind::Stream(&["application/octet-stream"]),
        refuses: &[404, 410],
        ..get(
            "/api/v1/files",
            OfAll(Read),
            "getFile",
            "A file of a report or an export",
            "By the run that wrote it; `href` in the lists is such an address. 410 if it was moved or deleted, or a \
             later run replaced it.",
            &[
                &Parameter::query("run", RUN, "Id of the run", "report:daily@2026-03-11T07:00:00Z").needed(),
                &Parameter::query("n", Kind::Number(0, 9_999, 0), "Index of the file, from 0", "0"),
            ],
            "",
            |call| Box::pin(editions::file(call)),
        )
    },
    exports::EXPORT,
    annotations::STAR,
    annotations::UNSTAR,
    annotations::NOTE,
    annotations::UNNOTE,
    annotations::SEARCHES,
    annotations::SAVE_SEARCH,
    annotations::DROP_SEARCH,
];
