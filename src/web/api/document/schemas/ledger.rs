//! Schemas of the ledger, its runs and searches, and of the reports and exports that were made.

use super::parts::{COST, Named, PAGED, SOURCE, list, one};
use crate::model::{RunState, SearchState, Trigger};
use crate::web::api::document::shape::Shape::{Flag, Integer, List, Maybe, Number, Of, Text, Time, Word};
use crate::web::api::document::shape::{Field, Shape, object};

const TRIGGER: Shape = Word(|| Trigger::ALL.iter().map(|trigger| trigger.as_str()).collect());
const RUN_STATE: Shape = Word(|| RunState::ALL.iter().map(|state| state.as_str()).collect());
const SEARCH_STATE: Shape = Word(|| SearchState::ALL.iter().map(|state| state.as_str()).collect());

/// Counts of the entries in the replies of a search, or of a run's searches.
const COUNTS: &[Field] = &[
    ("found", Integer, "entries that could be read"),
    ("new", Integer, "items the topic had not seen before"),
    ("duplicate", Integer, "the other entries: found = new + duplicate"),
    ("outside", Integer, "entries published outside the window"),
    ("undated", Integer, "entries without a readable date"),
    ("unreadable", Integer, "entries that could not be read"),
];

const RUN: &[Field] = &[
    ("run", Text, "id of the run"),
    ("job", Text, "what ran: `topic:acme`, `report:daily`, `export:sheet`"),
    ("topic", Maybe(&Text), "id of the topic; null for reports, exports and pruning"),
    ("trigger", TRIGGER, "why it exists"),
    ("state", RUN_STATE, "its outcome"),
    (
        "reason",
        Maybe(&Text),
        "why it is missed, skipped, cancelled, over quota or interrupted; of a backfill, its day; of an export, what it wrote",
    ),
    ("slot", Maybe(&Time), "when it was due; null for manual runs"),
    ("started_at", Maybe(&Time), "when it started"),
    ("finished_at", Maybe(&Time), "when its end was recorded"),
    ("attempt", Integer, "number of attempts"),
    (
        "cost_usd",
        Number,
        "US dollars, rounded to millionths; billed, or expected where no bill says; without searches under way",
    ),
    ("error_class", Maybe(&Text), "class of the first error"),
    ("error_text", Maybe(&Text), "the error in words"),
    ("seq", Maybe(&Integer), "its number in the reading order; null until it can be read"),
    ("clears_at", Maybe(&Time), "when the used-up calls or budget become available again"),
    ("thinned", Flag, "some of its sightings were deleted because of their age"),
];

const SEARCHES: &[Field] = &[
    ("assumed_usd", Maybe(&Number), "what its searches cost that no bill confirms in full; null if they were deleted"),
    ("searches", List(&Of("Search")), "by attempt and source"),
];

const SEARCH: &[Field] = &[
    ("run", Text, "id of its run"),
    ("attempt", Integer, "attempt of the run"),
    ("source", SOURCE, "where it went"),
    ("operation", Text, "the call"),
    ("query", Text, "the words searched for"),
    ("state", SEARCH_STATE, "its outcome"),
    ("reason", Maybe(&Text), "why it was not made, covers nothing, or looked back further"),
    ("http_status", Maybe(&Integer), "status of the last reply"),
    ("tries", Integer, "number of calls"),
    ("started_at", Time, "when it started"),
    ("latency_ms", Maybe(&Integer), "milliseconds of the last try"),
    ("saturated", Flag, "the reply was full: there may be more"),
    COST,
    ("cost_basis", Maybe(&Text), "`billed`, `assumed` or `none`"),
    ("error_class", Maybe(&Text), "class of the error"),
    ("error_text", Maybe(&Text), "the error in words"),
    ("asked_from", Maybe(&Time), "start of the span that the request named"),
    ("asked_until", Maybe(&Time), "and its end"),
    ("covered_from", Maybe(&Time), "start of the span that it covered"),
    ("covered_until", Maybe(&Time), "and its end"),
    ("clears_at", Maybe(&Time), "when the used-up calls or budget reset"),
    ("hint", Maybe(&Text), "what to do about the error"),
];

const REQUEST_ACCEPTED: &[Field] = &[
    ("name", Text, "the name of its job"),
    ("run", Text, "id of its run"),
    ("made_at", Time, "when it was created"),
    ("subject", Maybe(&Text), "of a report: its subject line"),
    ("rows", Maybe(&Integer), "of an export: number of rows"),
    ("files", List(&Of("FileLink")), "the files that it wrote; `replaced` ones are gone"),
];

pub(super) fn schemas() -> Vec<Named> {
    let link = &[
        ("name", Text, "its name"),
        ("href", Text, "its address"),
        ("replaced", Flag, "a later run replaced it: it is gone"),
    ];
    vec![
        list("Runs", &Of("LedgerRun"), PAGED),
        one("OneRun", "LedgerRun"),
        ("Run", object("A run", &[RUN, COUNTS])),
        ("LedgerRun", object("A run with its searches", &[RUN, COUNTS, SEARCHES])),
        ("Search", object("A search of a run", &[SEARCH, COUNTS])),
        list("Made", &Of("MadeFile"), PAGED),
        ("MadeFile", object("A report, or an edition of an export", &[REQUEST_ACCEPTED])),
        ("FileLink", object("A file", &[link])),
    ]
}
