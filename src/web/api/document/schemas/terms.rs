//! Schemas of a topic's terms that are news, and of its themes.

use super::parts::{Named, SANDBOX};
use crate::compare::{ComparedWith, NoTermsReason, StandOutReason};
use crate::model::{Kind, TermKind};
use crate::web::api::document::shape::Shape::{Flag, Former, Integer, List, Maybe, Number, Of, Text, Time, Word};
use crate::web::api::document::shape::{Field, Shape, object};

const NO_TERMS: Shape = Maybe(&Word(|| NoTermsReason::ALL.iter().map(|why| why.as_str()).collect()));

const NEWS: &[Field] = &[
    ("before_days", Integer, "number of days before that can be compared with the span"),
    ("no_terms", NO_TERMS, "why there are no terms; null if the span was compared"),
    ("untold", Former(&NO_TERMS), "former name of no_terms, until 1.0"),
    ("tested", Integer, "number of terms tested: those used at least three times in the span and the days before"),
    ("terms", List(&Of("Term")), "at most ten, the most surprising first"),
    ("more", Integer, "further terms that are news; with those in `terms`, at most 50 are counted"),
    ("themes", List(&Of("Theme")), "at most seven, the largest first"),
    ("more_themes", Integer, "further themes"),
    ("more_items", Integer, "items of these"),
    ("other_items", Integer, "items in no theme"),
    ("items", Integer, "items of the span"),
    (
        "items_read",
        Integer,
        "how many of them are read, at most 20,000; where `no_terms` is set, none may have been read",
    ),
    ("cut", Flag, "only a sample of the items was read; all counts are those of the sample"),
    (
        "stand_out",
        Maybe(&Of("StandOut")),
        "set if there are too few earlier days, or if the busiest day so far has new words but no news; never news itself",
    ),
];

const STAND_OUT: &[Field] = &[
    ("reason", Word(|| StandOutReason::ALL.iter().map(|why| why.as_str()).collect()), "why they are shown"),
    (
        "compared_with",
        Word(|| ComparedWith::ALL.iter().map(|with| with.as_str()).collect()),
        "days of other topics, or nothing: then these are the most frequent terms",
    ),
    ("texts", Integer, "number of texts they were compared with"),
    ("texts_now", Maybe(&Integer), "texts in the span; null unless `busiest_day`"),
    ("most_texts_before", Maybe(&Integer), "texts on the busiest day before; null unless `busiest_day`"),
    (
        "terms",
        List(&Of("Term")),
        "at most ten, the strongest first; `texts_before`, `expected` and `z` are relative to the other topics, and 0 \
         if compared with nothing",
    ),
];

const TERM: &[Field] = &[
    ("term", Text, "lower case, without accents; untrusted text"),
    ("kind", Word(|| TermKind::ALL.iter().map(|kind| kind.as_str()).collect()), "what it is"),
    ("z", Number, "log-odds relative to the days before, divided by their standard error"),
    ("items", Integer, "items that contain it"),
    ("authors", Integer, "how many people use it"),
    ("texts", Integer, "different texts by different people per day, summed: the count that is compared"),
    ("texts_before", Integer, "the same over all days before"),
    ("expected", Number, "count that these predict for the span"),
    ("negative", Maybe(&Of("Share")), "negative among its scored items"),
    ("example", Of("TermSample"), "its item with most reactions"),
];

const THEME: &[Field] = &[
    ("name", Text, "its one to three best terms; untrusted text"),
    ("items", Integer, "items"),
    ("unique", Integer, "with near-copies counted once"),
    ("authors", Integer, "how many people wrote them"),
    ("negative", Maybe(&Of("Share")), "negative among the scored items"),
    ("items_before", Maybe(&Integer), "items of the previous span with one of its terms; null if unknown"),
    ("first_at", Time, "time of its first item"),
    ("first_by", Maybe(&Text), "author of that item"),
    ("first_key", Text, "key of that item"),
    ("post", Maybe(&Of("TermSample")), "its post with most reactions"),
    ("page", Maybe(&Of("TermSample")), "the same for pages"),
];

const SAMPLE: &[Field] = &[
    ("key", Text, "key of the item"),
    ("kind", Word(|| Kind::ALL.iter().map(|kind| kind.as_str()).collect()), "post or page"),
    ("at", Time, "its time"),
    ("author", Maybe(&Text), "handle"),
    ("words", Maybe(&Text), "title, or else text; untrusted"),
    ("link", Maybe(&Text), "its address, if it can be a link"),
];

pub(super) fn schemas() -> Vec<Named> {
    let answer = [
        ("data", Of("TermNews"), "what was found"),
        ("since", Time, "start of the span"),
        ("until", Time, "its end"),
        SANDBOX,
    ];
    vec![
        ("Terms", object("Terms in a span", &[&answer])),
        ("TermNews", object("Terms that are news, and themes", &[NEWS])),
        ("StandOut", object("Terms that stand out beside other topics", &[STAND_OUT])),
        ("Term", object("A term that is news", &[TERM])),
        ("Theme", object("Items that share terms that are news", &[THEME])),
        ("TermSample", object("A sample item", &[SAMPLE])),
    ]
}
