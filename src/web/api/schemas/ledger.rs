//! Schemas of the ledger, its runs and searches, and of the reports and exports that were made.

use super::parts::{COST, Named, PAGED, SOURCE, list, one};
use crate::model::{RunState, SearchState, Trigger};
use crate::web::api::shape::Shape::{Flag, Integer, List, Maybe, Of, Text, Time, Word};
use crate::web::api::shape::{Field, Shape, object};

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
    ("unreadable", Integer, "entries that nothing could be made of"),
];

const RUN: &[Field] = &[
    ("run", Text, "id of the run"),
    ("topic", Maybe(&Text), "id of the topic; null for reports, exports and pruning"),
    ("trigger", TRIGGER, "why it exists"),
    ("state", RUN_STATE, "what became of it"),
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

const SEARCHES: &[Field] = &[("searches", List(&Of("Search")), "by attempt and source")];

const SEARCH: &[Field] = &[
    ("run", Text, "id of its run"),
    ("attempt", Integer, "attempt of the run"),
    ("source", SOURCE, "where it went"),
    ("operation", Text, "the call"),
    ("query", Text, "the words asked for"),
    ("state", SEARCH_STATE, "what became of it"),
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

const MADE: &[Field] = &[
    ("name", Text, "the name of its job"),
    ("run", Text, "id of its run"),
    ("made_at", Time, "when it was made"),
    ("subject", Maybe(&Text), "of a report: what it says in a line"),
    ("rows", Maybe(&Integer), "of an export: its rows"),
    ("files", List(&Of("FileLink")), "those that are kept"),
];

pub(super) fn schemas() -> Vec<Named> {
    let link = &[
        ("name", Text, "its name"),
        ("href", Text, "where it is got"),
        ("replaced", Flag, "a later run put another file in its place: it is gone"),
    ];
    vec![
        list("Runs", &Of("LedgerRun"), PAGED),
        one("OneRun", "LedgerRun"),
        ("Run", object("A run", &[RUN, COUNTS])),
        ("LedgerRun", object("A run with its searches", &[RUN, COUNTS, SEARCHES])),
        ("Search", object("A search of a run", &[SEARCH, COUNTS])),
        list("Made", &Of("MadeFile"), PAGED),
        ("MadeFile", object("A report, or an edition of an export", &[MADE])),
        ("FileLink", object("A file", &[link])),
    ]
}
