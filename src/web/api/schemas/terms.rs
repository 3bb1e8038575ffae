//! Schemas of a topic's terms that are news, and of its themes.

use super::parts::{Named, SANDBOX};
use crate::compare::{ComparedWith, StandOutReason, Untold};
use crate::model::{Kind, TermKind};
use crate::web::api::shape::Shape::{Flag, Integer, List, Maybe, Number, Of, Text, Time, Word};
use crate::web::api::shape::{Field, object};

const NEWS: &[Field] = &[
    ("before_days", Integer, "days before that the span was compared with"),
    (
        "untold",
        Maybe(&Word(|| Untold::ALL.iter().map(|why| why.as_str()).collect())),
        "why nothing is told; null where it was compared",
    ),
    ("tested", Integer, "terms said three times in the span and before together: so many were tested"),
    ("terms", List(&Of("Term")), "at most ten, the most surprising first"),
    ("more", Integer, "terms that are news, too"),
    ("themes", List(&Of("Theme")), "at most seven, the largest first"),
    ("more_themes", Integer, "themes that are not told"),
    ("more_items", Integer, "items of these"),
    ("other_items", Integer, "items of no theme"),
    ("cut", Flag, "only the latest 20,000 items of the span were read"),
    (
        "stand_out",
        Maybe(&Of("StandOut")),
        "shown if there are too few days before, or no term is news on the busiest day so far; never news",
    ),
];

const STAND_OUT: &[Field] = &[
    ("reason", Word(|| StandOutReason::ALL.iter().map(|why| why.as_str()).collect()), "why they are shown"),
    (
        "compared_with",
        Word(|| ComparedWith::ALL.iter().map(|with| with.as_str()).collect()),
        "days of other topics, or nothing: then these are what most people say",
    ),
    ("texts", Integer, "texts that they were compared with"),
    ("texts_now", Maybe(&Integer), "texts of the span; null unless `busiest_day`"),
    ("most_texts_before", Maybe(&Integer), "texts of the busiest day before; null unless `busiest_day`"),
    (
        "terms",
        List(&Of("Term")),
        "at most ten, the strongest first; `texts_before`, `expected` and `z` are against the other topics, and 0 against nothing",
    ),
];

const TERM: &[Field] = &[
    ("term", Text, "as people write it; foreign text"),
    ("kind", Word(|| TermKind::ALL.iter().map(|kind| kind.as_str()).collect()), "what it is"),
    ("z", Number, "log-odds against the days before, by their standard error"),
    ("items", Integer, "items that hold it"),
    ("authors", Integer, "how many people say it"),
    ("texts", Integer, "different texts by different people, day by day: what is compared"),
    ("texts_before", Integer, "the same over all days before"),
    ("expected", Number, "what these let expect of the span"),
    ("negative", Maybe(&Of("Share")), "negative among its items that are scored"),
    ("example", Of("TermSample"), "its item with most reactions"),
];

const THEME: &[Field] = &[
    ("name", Text, "its two or three best terms; foreign text"),
    ("items", Integer, "items"),
    ("unique", Integer, "with near-copies counted once"),
    ("authors", Integer, "how many people wrote them"),
    ("negative", Maybe(&Of("Share")), "negative among those that are scored"),
    ("items_before", Maybe(&Integer), "items of the span before with one of its terms; null where that is not known"),
    ("first_at", Time, "when its first item counts"),
    ("first_by", Maybe(&Text), "by whom"),
    ("first_key", Text, "key of that item"),
    ("post", Maybe(&Of("TermSample")), "its post with most reactions"),
    ("page", Maybe(&Of("TermSample")), "the same of pages"),
];

const SAMPLE: &[Field] = &[
    ("key", Text, "key of the item"),
    ("kind", Word(|| Kind::ALL.iter().map(|kind| kind.as_str()).collect()), "post or page"),
    ("at", Time, "when it counts"),
    ("author", Maybe(&Text), "handle"),
    ("words", Maybe(&Text), "title, or else text; foreign text"),
    ("link", Maybe(&Text), "its address, where it is one that may be a link"),
];

pub(super) fn schemas() -> Vec<Named> {
    let answer = [
        ("data", Of("TermNews"), "what was found"),
        ("since", Time, "begin of the span"),
        ("until", Time, "its end"),
        SANDBOX,
    ];
    vec![
        ("Terms", object("Terms of a span", &[&answer])),
        ("TermNews", object("Terms that are news, and themes", &[NEWS])),
        ("StandOut", object("Terms that stand out beside other topics", &[STAND_OUT])),
        ("Term", object("A term that is news", &[TERM])),
        ("Theme", object("Items that share terms that are news", &[THEME])),
        ("TermSample", object("An item that shows others", &[SAMPLE])),
    ]
}
