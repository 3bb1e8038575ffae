//! What each answer holds, field by field. A test holds every answer against these; what a field of an export is called
//! and means, it is called and means here.

use serde_json::{Map, Value, json};

use super::requests::ACTIONS;
use super::shape::Shape::{Date, Flag, Integer, List, Maybe, Number, Of, Text, Time, Word};
use super::shape::{Field, Shape, object};
use crate::model::{Kind, PausedBy, RequestState, RunState, SearchState, Source, Tone, Trigger, Window, WindowFit};
use crate::web::standing::STATES;

const NEXT: Field = ("next_page_token", Maybe(&Text), "where the next page begins; null when there is none");
const SANDBOX: Field = ("sandbox", Flag, "everything here was invented");
const TOPIC: Field = ("topic", Text, "id of the topic");
const KEY: Field = ("key", Text, "public key of the item");
const COST: Field =
    ("cost_usd", Number, "US dollars, whole micro-dollars; billed, or expected while that is not known");
const SOURCE: Shape = Word(|| Source::ALL.iter().map(|source| source.as_str()).collect());
const KIND: Shape = Word(|| Kind::ALL.iter().map(|kind| kind.as_str()).collect());
const FIT: Shape = Word(|| WindowFit::ALL.iter().map(|fit| fit.as_str()).collect());

/// What the replies of a search, or of a run's searches, held.
const COUNTS: &[Field] = &[
    ("found", Integer, "entries that could be read"),
    ("new", Integer, "items the topic had not seen before"),
    ("duplicate", Integer, "the other entries: found = new + duplicate"),
    ("outside", Integer, "entries published outside the window"),
    ("undated", Integer, "entries without a readable date"),
    ("unreadable", Integer, "entries that nothing could be made of"),
];

const RUN: &[Field] = &[
    ("run", Text, "id of the run"),
    ("topic", Maybe(&Text), "id of the topic; null for reports, exports and pruning"),
    ("trigger", Word(|| Trigger::ALL.iter().map(|trigger| trigger.as_str()).collect()), "why it exists"),
    ("state", Word(|| RunState::ALL.iter().map(|state| state.as_str()).collect()), "what became of it"),
    ("reason", Maybe(&Text), "why it is missed, skipped, cancelled or over quota"),
    ("slot", Maybe(&Time), "the instant at which it was due; null for manual runs"),
    ("started_at", Maybe(&Time), "when it looked"),
    ("finished_at", Maybe(&Time), "when its end was recorded"),
    ("attempt", Integer, "attempts it took"),
    COST,
    ("error_class", Maybe(&Text), "class of the first error"),
    ("error_text", Maybe(&Text), "the error in words"),
    ("seq", Maybe(&Integer), "its number in the reading order; null until it can be read"),
    ("clears_at", Maybe(&Time), "when there is more of the calls or the money that was used up"),
    ("thinned", Flag, "sightings of it were let go for their age"),
];

const SEARCH: &[Field] = &[
    ("run", Text, "id of its run"),
    ("attempt", Integer, "attempt of the run"),
    ("source", SOURCE, "where it went"),
    ("operation", Text, "the call"),
    ("query", Text, "the words asked for"),
    ("state", Word(|| SearchState::ALL.iter().map(|state| state.as_str()).collect()), "what became of it"),
    ("reason", Maybe(&Text), "why it was not made, or looked back further"),
    ("http_status", Maybe(&Integer), "status of the last reply"),
    ("tries", Integer, "calls it took"),
    ("started_at", Time, "when it began"),
    ("latency_ms", Maybe(&Integer), "milliseconds of the last try"),
    ("saturated", Flag, "the reply was as long as it could be: there may be more"),
    COST,
    ("cost_basis", Maybe(&Text), "`billed`, `assumed` or `none`"),
    ("error_class", Maybe(&Text), "class of the error"),
    ("error_text", Maybe(&Text), "the error in words"),
    ("asked_from", Maybe(&Time), "begin of the span that the request named"),
    ("asked_until", Maybe(&Time), "and its end"),
    ("covered_from", Maybe(&Time), "begin of what it covered"),
    ("covered_until", Maybe(&Time), "and its end"),
    ("clears_at", Maybe(&Time), "when there is more of what was used up"),
    ("hint", Maybe(&Text), "what to do about what went wrong"),
];

const TONE: &[Field] = &[
    (
        "tone",
        Maybe(&Word(|| Tone::ALL.iter().map(|tone| tone.as_str()).collect())),
        "how it sounds; null while not judged",
    ),
    ("score", Maybe(&Number), "from -1 to 1"),
    ("scorer", Maybe(&Text), "version of the scorer"),
];

/// An item as a topic knows it.
const ITEM: &[Field] = &[
    TOPIC,
    KEY,
    ("kind", KIND, "post or page"),
    ("url", Maybe(&Text), "address as last learned; foreign text, perhaps no link that is safe to follow"),
    ("author", Maybe(&Text), "handle, without @"),
    ("author_name", Maybe(&Text), "display name"),
    ("title", Maybe(&Text), "title of a page"),
    ("text", Maybe(&Text), "text of a post, snippet of a page; foreign text"),
    ("lang", Maybe(&Text), "language tag as given"),
    ("published_at", Maybe(&Time), "when it was published"),
    ("first_seen", Time, "when this topic first saw it"),
    ("first_run", Text, "id of that run"),
    ("last_seen", Time, "when this topic last saw it"),
    ("last_run", Text, "id of that run"),
    ("times_seen", Integer, "in how many runs of this topic"),
    ("is_repost", Maybe(&Flag), "the service calls it a repost"),
    ("is_quote", Maybe(&Flag), "the service calls it a quote"),
    ("conversation_id", Maybe(&Text), "thread"),
    ("engagement", Of("Engagement"), "reactions as last seen"),
    ("revisions", Integer, "how often its words changed"),
    ("cluster", Maybe(&Text), "key of the item that its near-copies began with; null while nobody looked"),
    ("pruned_at", Maybe(&Time), "when its words were let go for their age"),
];

const PAGED: &[Field] = &[NEXT, SANDBOX];

/// Every schema by its name.
pub(super) fn schemas() -> Map<String, Value> {
    let list = |name: &'static str, of: &'static Shape, more: &[Field]| {
        (name, object("A page of a list", &[&[("data", list_of(of), "the rows")], more]))
    };
    let one = |name: &'static str, of: &'static str| {
        (name, object("One of them", &[&[("data", Of(of), "what was asked for"), SANDBOX]]))
    };
    let all = [
        list("Topics", &Of("Topic"), PAGED),
        one("OneTopic", "Topic"),
        ("Topic", topic()),
        (
            "Schedule",
            object(
                "When it runs: one of the two",
                &[&[
                    ("cron", Maybe(&Text), "a cron expression, in the topic's zone"),
                    ("every_ms", Maybe(&Integer), "a period in milliseconds"),
                ]],
            ),
        ),
        (
            "Query",
            object("What a source is asked", &[&[("source", SOURCE, "where"), ("query", Maybe(&Text), "the words")]]),
        ),
        (
            "SourceState",
            object(
                "How a source stands",
                &[&[
                    ("source", SOURCE, "which"),
                    ("state", Word(|| STATES.to_vec()), "in a word"),
                    ("error_class", Maybe(&Text), "class of the last error"),
                ]],
            ),
        ),
        (
            "Pause",
            object(
                "Why nothing is planned",
                &[&[
                    ("by", Word(|| PausedBy::ALL.iter().map(|by| by.as_str()).collect()), "the file, or a person"),
                    ("since", Maybe(&Time), "since when, for a person's"),
                    ("reason", Maybe(&Text), "in that one's words"),
                ]],
            ),
        ),
        list(
            "Items",
            &Of("ListedItem"),
            &[
                NEXT,
                SANDBOX,
                ("filtered", Integer, "rows of this page that the topic's filter hides, shown or not"),
                ("outside", Integer, "rows of this page left out because they were not new (`new_since`)"),
                ("complete", Flag, "all that fits was looked through, and not only the items first seen last"),
                ("unindexed", Integer, "items that cannot be found by their words yet, of any topic"),
            ],
        ),
        ("Item", object("An item as a topic knows it", &[ITEM, TONE])),
        (
            "ListedItem",
            object(
                "An item of a list",
                &[
                    ITEM,
                    TONE,
                    &[
                        ("fit", FIT, "published in the topic's window when first seen, or not"),
                        ("copies", Of("Copies"), "its near-copies in this topic"),
                    ],
                ],
            ),
        ),
        (
            "Engagement",
            object(
                "Reactions; null where they are not known",
                &[&[
                    ("likes", Maybe(&Integer), "likes"),
                    ("reposts", Maybe(&Integer), "reposts without a comment"),
                    ("replies", Maybe(&Integer), "replies"),
                    ("quotes", Maybe(&Integer), "reposts with a comment"),
                    ("bookmarks", Maybe(&Integer), "bookmarks"),
                    ("views", Maybe(&Integer), "views"),
                ]],
            ),
        ),
        (
            "Copies",
            object(
                "Near-copies",
                &[&[("count", Integer, "how many"), ("data", List(&Of("Copy")), "the first of them, by key")]],
            ),
        ),
        (
            "Copy",
            object(
                "A near-copy",
                &[&[
                    KEY,
                    ("author", Maybe(&Text), "handle"),
                    ("title", Maybe(&Text), "title"),
                    ("text", Maybe(&Text), "text"),
                    ("published_at", Maybe(&Time), "when it was published"),
                ]],
            ),
        ),
        one("OneItem", "WholeItem"),
        (
            "WholeItem",
            object(
                "Everything about an item",
                &[&[
                    KEY,
                    ("topics", List(&Of("Item")), "the item as each topic knows it"),
                    ("sightings", List(&Of("Sighting")), "the latest 100, the latest first"),
                    ("revisions", List(&Of("Revision")), "what its words were, the latest 20"),
                    ("copies", Of("Copies"), "its near-copies, of any topic"),
                ]],
            ),
        ),
        (
            "Sighting",
            object(
                "An item in a reply",
                &[&[
                    ("run", Text, "id of the run"),
                    TOPIC,
                    ("seen_at", Time, "when the run looked"),
                    ("source", SOURCE, "where"),
                    ("rank", Integer, "place in the reply, from 1"),
                    ("fit", FIT, "published in the window, or not"),
                    ("engagement", Of("Engagement"), "reactions of that moment"),
                ]],
            ),
        ),
        (
            "Revision",
            object(
                "What an item's words were",
                &[&[
                    ("replaced_at", Time, "until they were seen changed"),
                    ("title", Maybe(&Text), "title"),
                    ("text", Maybe(&Text), "text"),
                ]],
            ),
        ),
        list("Answers", &Of("Answer"), PAGED),
        (
            "Answer",
            object(
                "A written summary",
                &[&[
                    ("run", Text, "id of the run"),
                    TOPIC,
                    ("asked_at", Time, "when the run looked"),
                    ("model", Maybe(&Text), "label of the model"),
                    ("text", Text, "the words; foreign text"),
                    ("partial", Flag, "it was cut"),
                    ("cited", List(&Text), "keys of the items it rests on"),
                ]],
            ),
        ),
        list("Runs", &Of("LedgerRun"), PAGED),
        one("OneRun", "LedgerRun"),
        ("Run", object("A run", &[RUN, COUNTS])),
        (
            "LedgerRun",
            object(
                "A run with its searches",
                &[RUN, COUNTS, &[("searches", List(&Of("Search")), "by attempt and source")]],
            ),
        ),
        ("Search", object("A search of a run", &[SEARCH, COUNTS])),
        list(
            "Days",
            &Of("Day"),
            &[
                ("timezone", Text, "IANA zone of the days"),
                ("uncounted", Flag, "what came last is not counted yet"),
                SANDBOX,
            ],
        ),
        ("Day", day()),
        (
            "Share",
            object(
                "A share with its 95 % interval (Wilson)",
                &[&[
                    ("part", Integer, "so many"),
                    ("whole", Integer, "of so many"),
                    ("share", Number, "from 0 to 1"),
                    ("low", Number, "where it lies at least"),
                    ("high", Number, "and at most"),
                ]],
            ),
        ),
        list("Made", &Of("MadeFile"), PAGED),
        (
            "MadeFile",
            object(
                "A report, or an edition of an export",
                &[&[
                    ("name", Text, "the name of its job"),
                    ("run", Text, "id of its run"),
                    ("made_at", Time, "when it was made"),
                    ("subject", Maybe(&Text), "of a report: what it says in a line"),
                    ("rows", Maybe(&Integer), "of an export: its rows"),
                    ("files", List(&Of("FileLink")), "those that are kept"),
                ]],
            ),
        ),
        ("FileLink", object("A file", &[&[("name", Text, "its name"), ("href", Text, "where it is got")]])),
        list("Requests", &Of("Request"), &[SANDBOX]),
        one("OneRequest", "Request"),
        ("Ask", object("What is asked for", &[&[("action", ACTION, "which of these")]])),
        (
            "Request",
            object(
                "What was asked for",
                &[&[
                    ("id", Text, "its id"),
                    TOPIC,
                    ("action", ACTION, "what"),
                    ("asked_at", Time, "when"),
                    (
                        "state",
                        Word(|| RequestState::ALL.iter().map(|state| state.as_str()).collect()),
                        "what became of it",
                    ),
                    ("answer", Maybe(&Text), "in words"),
                    ("run", Maybe(&Text), "id of the run, once it is queued"),
                ]],
            ),
        ),
        ("Document", json!({ "type": "object", "description": "An OpenAPI 3.1 document" })),
        (
            "Problem",
            object(
                "What went wrong (RFC 9457)",
                &[&[
                    ("type", Text, "always about:blank: the status says what it is"),
                    ("title", Text, "the status in words"),
                    ("status", Integer, "the status"),
                    ("detail", Text, "what happened"),
                    ("hint", Text, "what to do"),
                ]],
            ),
        ),
    ];
    all.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

const ACTION: Shape = Word(|| ACTIONS.iter().map(|(name, _)| *name).collect());

fn list_of(of: &'static Shape) -> Shape {
    List(of)
}

fn topic() -> Value {
    object(
        "A topic and how it stands",
        &[&[
            TOPIC,
            ("title", Text, "for people"),
            ("tags", Maybe(&List(&Text)), "for grouping; null when this version cannot read the definition"),
            ("schedule", Maybe(&Of("Schedule")), "null: only when asked"),
            ("timezone", Text, "IANA zone of its schedule and its days"),
            (
                "window",
                Maybe(&Word(|| Window::ALL.iter().map(|window| window.as_str()).collect())),
                "how far back searches look",
            ),
            ("queries", Maybe(&List(&Of("Query"))), "what each source is asked"),
            ("paused", Maybe(&Of("Pause")), "why nothing is planned; null while it is not paused"),
            ("last_run", Maybe(&Of("Run")), "its last finished run"),
            ("last_success", Maybe(&Time), "begin of the last run that was `ok` or `partial`"),
            ("next_slot", Maybe(&Time), "when it is due next, as planned"),
            ("overdue", Flag, "that has passed without a run being planned"),
            ("sources", List(&Of("SourceState")), "each source that is on"),
            ("new_24h", Integer, "items first seen in the last 24 hours"),
        ]],
    )
}

fn day() -> Value {
    object(
        "A local day",
        &[&[
            ("date", Date, "its date"),
            ("from", Time, "its first instant"),
            ("until", Time, "the first instant after it"),
            ("items", Integer, "items that count on it"),
            ("unique", Integer, "with near-copies counted once"),
            ("saturated", Flag, "replies were full: there may be more"),
            ("scored", Integer, "items with a tone"),
            ("negative", Maybe(&Of("Share")), "negative among these"),
            ("positive", Maybe(&Of("Share")), "positive among these"),
            ("uncovered_s", Integer, "seconds that no social search covered, in holes of a minute or more"),
            ("unwatched_s", Integer, "seconds before the topic was watched"),
        ]],
    )
}
