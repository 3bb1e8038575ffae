//! Schemas of stories (how an item spread): the story, its first items, its places, and what its searches did not
//! cover.

use super::items::{KIND, REVISIONS};
use super::parts::{Named, SOURCE, one};
use crate::insight::story::TimeBasis;
use crate::model::Tie;
use crate::web::api::document::shape::Shape::{Flag, Integer, List, Maybe, Of, Text, Time, Word};
use crate::web::api::document::shape::{Field, Shape, object};

const STORY: &[Field] = &[
    ("key", Text, "public key of the requested item"),
    ("links", List(&Text), "addresses by which items were searched; untrusted text"),
    ("links_beyond", Integer, "further links of the item, not searched"),
    ("items", Integer, "items of the story"),
    ("unique", Integer, "with near-copies counted once"),
    (
        "authors",
        Maybe(&Integer),
        "different authors; null if none is known, or if authors were deleted because of their age",
    ),
    ("copies", Integer, "of the items, near-copies of the requested one"),
    ("linked", Integer, "of the items, those that share a link with it"),
    ("complete", Flag, "these are all items; otherwise only those seen first"),
    ("seen_once", Flag, "it is a single item, seen once by one topic"),
    ("from", Time, "the earliest item"),
    ("until", Time, "the latest item"),
    ("undated", Integer, "items without a publication time, or with an impossible one"),
    ("first_published", Maybe(&Of("StoryItem")), "the earliest with a possible publication time"),
    ("first_seen", Of("StoryItem"), "the item that any topic saw first"),
    ("first_is_sure", Flag, "nothing suggests that its topics missed an earlier one"),
    ("first_by_snapshot", Flag, "no source that looks back over time found the earliest"),
    ("doubt", Of("StoryDoubt"), "what the searches around it did not cover"),
    ("half_ms", Maybe(&Integer), "milliseconds from the earliest until half had appeared; null if fewer than four"),
    (
        "peak",
        Maybe(&Of("StoryPeak")),
        "the hour with most items; null if several have as many, or none has more than one",
    ),
    ("topics", List(&Of("StoryPlace")), "topics, by when they first saw any"),
    ("sources", List(&Of("StoryPlace")), "the same for sources"),
    ("sightings_pruned", Flag, "sightings were pruned: a source may have shown an item earlier"),
    ("reach", List(&Of("StoryAuthor")), "the five authors whose items got most reactions"),
    ("edits", REVISIONS, "the latest 20 earlier texts of the earliest item"),
    ("last_seen", Time, "when any of them was last seen"),
    ("still_shown", Integer, "items in the last answered run of a topic that knows them, without backfills"),
    ("pruned", Integer, "items whose text was deleted because of its age"),
    ("unindexed", Integer, "items not yet in the text index, of any topic: their links are unknown"),
    ("uncompared", Flag, "new items have not been compared with others yet"),
    ("chart", List(&Of("StoryBar")), "items over time, at most 24 bars"),
    ("timeline", List(&Of("StoryItem")), "all items, by time"),
];

const BASIS: Shape = Word(|| TimeBasis::ALL.iter().map(|basis| basis.as_str()).collect());
const TIE: Shape = Word(|| Tie::ALL.iter().map(|tie| tie.as_str()).collect());

const ITEM: &[Field] = &[
    ("key", Text, "public key of the item"),
    ("kind", KIND, "post or page"),
    ("author", Maybe(&Text), "handle"),
    ("title", Maybe(&Text), "title of a page"),
    ("text", Maybe(&Text), "text, at most 600 characters; untrusted"),
    ("url", Maybe(&Text), "address as first seen; untrusted"),
    ("at", Time, "its time"),
    ("at_is", BASIS, "whether `at` is when it was published, or only when it was seen"),
    ("published_at", Maybe(&Time), "publication time that its source gives, even if impossible"),
    ("first_seen", Time, "when any topic first saw it"),
    ("topic", Text, "id of that topic"),
    ("source", Maybe(&SOURCE), "which source showed it then; null if the sighting is not kept"),
    ("engagement", Of("Engagement"), "reactions as last seen"),
    ("tie", TIE, "why it belongs to the story"),
    ("new_text", Flag, "it is the earliest item with its text"),
    ("revisions", Integer, "how often its text changed"),
    ("pruned", Flag, "its text was deleted because of its age"),
];

const PLACE: &[Field] = &[
    ("name", Text, "id of the topic, or the source"),
    ("items", Integer, "number of items it saw"),
    ("first_seen", Time, "when it first saw one"),
    ("key", Text, "public key of that item"),
    ("author", Maybe(&Text), "handle"),
];

const AUTHOR: &[Field] = &[
    ("author", Text, "handle"),
    ("items", Integer, "items of the story"),
    ("reactions", Maybe(&Integer), "likes, reposts, replies and quotes of these, as last seen; null if unknown"),
];

const DOUBT: &[Field] = &[
    ("from", Time, "start of the checked time: a day before the earliest item"),
    ("until", Time, "its end: the latest item, or after 31 days"),
    ("holes", List(&Of("StoryHole")), "gaps of a source of a topic, the first 20"),
    ("holes_beyond", Integer, "how many more gaps there are"),
    ("watched_later", List(&Of("StoryTopicSince")), "topics that were watched only later"),
    ("moments_only", List(&Text), "topics whose sources all give snapshots"),
    ("pruned_until", Maybe(&Time), "searches before this were pruned"),
    ("topics_beyond", Integer, "number of topics not checked"),
];

const HOLE: &[Field] = &[
    ("topic", Text, "id of the topic"),
    ("source", SOURCE, "which source"),
    ("from", Time, "its start"),
    ("until", Time, "its end"),
    ("late_indexing", Flag, "it was searched, but posts may have been indexed later"),
];

pub(super) fn schemas() -> Vec<Named> {
    let peak = &[("hour", Time, "its start, UTC"), ("items", Integer, "items in this hour")];
    let since = &[("topic", Text, "id of the topic"), ("since", Time, "since when it has been watched")];
    let bar = &[
        ("from", Time, "its start"),
        ("until", Time, "its end"),
        ("items", Integer, "items"),
        ("new_texts", Integer, "of these, items with a new text"),
    ];
    vec![
        one("OneStory", "Story"),
        ("Story", object("How an item spread", &[STORY])),
        ("StoryItem", object("An item of a story", &[ITEM])),
        ("StoryPlace", object("Where a story was seen", &[PLACE])),
        ("StoryAuthor", object("An author of items in a story", &[AUTHOR])),
        ("StoryDoubt", object("Why something earlier may be missing", &[DOUBT])),
        ("StoryHole", object("A gap in coverage", &[HOLE])),
        ("StoryTopicSince", object("A topic that was watched only later", &[since])),
        ("StoryPeak", object("The hour with most items", &[peak])),
        ("StoryBar", object("Items in a part of the time", &[bar])),
    ]
}
