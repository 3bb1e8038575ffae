//! Schemas of topics, their days, and requests about them.

use super::parts::{Named, PAGED, SANDBOX, SOURCE, TOPIC, list, one};
use crate::compare::STATES;
use crate::model::{PausedBy, RequestState, Window};
use crate::web::api::document::shape::Shape::{Date, Flag, Integer, List, Maybe, Number, Of, Text, Time, Word};
use crate::web::api::document::shape::{Field, Shape, object};
use crate::web::api::requests::ACTIONS;

const ACTION: Shape = Word(|| ACTIONS.iter().map(|(name, _)| *name).collect());
const WINDOW: Shape = Word(|| Window::ALL.iter().map(|window| window.as_str()).collect());

const STANDING: &[Field] = &[
    TOPIC,
    ("title", Text, "for people"),
    ("tags", Maybe(&List(&Text)), "for grouping; null if this version cannot read the definition"),
    ("schedule", Maybe(&Of("Schedule")), "null: runs only on request, or this version cannot read the definition"),
    ("timezone", Text, "IANA time zone of its schedule and its days"),
    ("window", Maybe(&WINDOW), "how far back searches look; null as for `tags`"),
    ("queries", Maybe(&List(&Of("Query"))), "the query of each source; null as for `tags`"),
    ("paused", Maybe(&Of("Pause")), "why nothing is planned; null unless it is paused"),
    ("last_run", Maybe(&Of("Run")), "its last finished run"),
    ("last_success", Maybe(&Time), "start of the last run that was `ok` or `partial`"),
    ("next_slot", Maybe(&Time), "when it is due next, from now on; null if it is paused or runs only on request"),
    ("overdue", Flag, "a slot passed more than two minutes ago and has no planned run; false while paused"),
    ("overdue_since", Maybe(&Time), "the first such slot"),
    ("sources", List(&Of("SourceState")), "each enabled source"),
    (
        "new_24h",
        Integer,
        "items new in the last 24 hours, as in a diff: no baseline, nothing outside the window; before the topic's filter",
    ),
    (
        "new_24h_at_least",
        Flag,
        "there may be more: a reply was full, a search of the last run failed, or searches missed time",
    ),
];

const SCHEDULE: &[Field] = &[
    ("cron", Maybe(&Text), "a cron expression, in the topic's zone"),
    ("every_ms", Maybe(&Integer), "a period in milliseconds"),
];

const SOURCE_STATE: &[Field] = &[
    ("source", SOURCE, "which"),
    ("state", Word(|| STATES.to_vec()), "its state"),
    ("error_class", Maybe(&Text), "class of the last error"),
];

const PAUSE: &[Field] = &[
    ("by", Word(|| PausedBy::ALL.iter().map(|by| by.as_str()).collect()), "the file, or a person"),
    ("since", Maybe(&Time), "since when; only if paused by a person"),
    ("reason", Maybe(&Text), "the reason that person gave"),
];

const DAY: &[Field] = &[
    ("date", Date, "its date"),
    ("from", Time, "its start"),
    ("until", Time, "its end (exclusive)"),
    ("items", Integer, "items that count for this day, before the topic's filter"),
    ("unique", Integer, "with near-copies counted once"),
    ("saturated", Flag, "replies were full; there may be more"),
    (
        "at_least",
        Flag,
        "there may be more: full replies, over 2 % not covered, a paused topic, a source unanswered, added or removed, or searches deleted",
    ),
    ("scored", Integer, "items with a tone"),
    ("negative", Maybe(&Of("Share")), "negative among these"),
    ("positive", Maybe(&Of("Share")), "positive among these"),
    ("uncovered_s", Integer, "seconds that the searches of some source did not cover, in gaps of a minute or more"),
    ("unwatched_s", Integer, "seconds before the topic was watched"),
];

const SHARE: &[Field] = &[
    ("part", Integer, "the part"),
    ("whole", Integer, "the whole"),
    ("share", Number, "from 0 to 1"),
    ("low", Number, "lower bound of the interval"),
    ("high", Number, "upper bound of the interval"),
];

const REQUEST: &[Field] = &[
    ("id", Text, "its id"),
    TOPIC,
    ("action", ACTION, "what"),
    ("asked_at", Time, "when"),
    ("state", Word(|| RequestState::ALL.iter().map(|state| state.as_str()).collect()), "its outcome"),
    ("answer", Maybe(&Text), "the outcome in words"),
    ("run", Maybe(&Text), "id of the run, once it is queued"),
];

pub(super) fn schemas() -> Vec<Named> {
    let query = &[("source", SOURCE, "where"), ("query", Maybe(&Text), "the words")];
    let days = [
        ("timezone", Text, "IANA time zone of the days"),
        ("uncounted", Flag, "the latest items are not counted yet"),
        ("scorers", List(&Text), "versions of the scorers of these days; shares of different ones cannot be compared"),
        SANDBOX,
    ];
    vec![
        list("Topics", &Of("Topic"), PAGED),
        one("OneTopic", "Topic"),
        ("Topic", object("A topic and its state", &[STANDING])),
        ("Schedule", object("When it runs: one of the two", &[SCHEDULE])),
        ("Query", object("The query of a source", &[query])),
        ("SourceState", object("The state of a source", &[SOURCE_STATE])),
        ("Pause", object("Why nothing is planned", &[PAUSE])),
        list("Days", &Of("Day"), &days),
        ("Day", object("A local day", &[DAY])),
        ("Share", object("A share with its 95 % interval (Wilson)", &[SHARE])),
        list("Requests", &Of("Request"), &[SANDBOX]),
        one("OneRequest", "Request"),
        ("Ask", object("A request", &[&[("action", ACTION, "what to do")]])),
        ("Request", object("A request and its outcome", &[REQUEST])),
    ]
}
