//! Schemas of stories (how an item spread): the story, its first items, its places, and what its searches did not
//! cover.

use super::found::{KIND, REVISIONS};
use super::parts::{Named, SOURCE, one};
use crate::insight::story::TimeBasis;
use crate::model::Tie;
use crate::web::api::shape::Shape::{Flag, Integer, List, Maybe, Of, Text, Time, Word};
use crate::web::api::shape::{Field, Shape, object};

const STORY: &[Field] = &[
    ("key", Text, "public key of the item that was asked about"),
    ("links", List(&Text), "addresses by which items were sought; foreign text"),
    ("links_beyond", Integer, "further links of the item, which were not"),
    ("items", Integer, "items of the story"),
    ("unique", Integer, "with near-copies counted once"),
    ("authors", Maybe(&Integer), "different authors; null where none is known"),
    ("copies", Integer, "of the items, near-copies of the one that was asked about"),
    ("linked", Integer, "of the items, those that share a link with it"),
    ("complete", Flag, "these are all; otherwise those that were seen first"),
    ("seen_once", Flag, "all there is was seen once, by one topic"),
    ("from", Time, "the earliest item"),
    ("until", Time, "the latest item"),
    ("undated", Integer, "items of which nothing says when they were published"),
    ("first_published", Maybe(&Of("StoryItem")), "the earliest of those whose time is known"),
    ("first_seen", Of("StoryItem"), "what any topic saw first"),
    ("first_is_sure", Flag, "nothing speaks against the first being the first of what its topics look for"),
    ("doubt", Of("StoryDoubt"), "what the searches around it did not cover"),
    ("half_ms", Maybe(&Integer), "how long after the earliest half of them had come; null of fewer than four"),
    ("peak", Maybe(&Of("StoryPeak")), "the hour with most items, where it has more than one"),
    ("topics", List(&Of("StoryPlace")), "topics, by when they first saw any"),
    ("sources", List(&Of("StoryPlace")), "the same of sources"),
    ("sightings_pruned", Flag, "sightings were pruned: a source may have shown an item before"),
    ("reach", List(&Of("StoryAuthor")), "the five authors whose items got most reactions"),
    ("edits", REVISIONS, "what the words of the earliest item were, the latest 20"),
    ("last_seen", Time, "when any of them was seen last"),
    ("still_shown", Integer, "items in the last run of a topic that knows them"),
    ("pruned", Integer, "items whose words were let go for their age"),
    ("unindexed", Integer, "items that wait for the text index, of any topic: links in them are not known"),
    ("uncompared", Flag, "new items wait to be compared with others"),
    ("chart", List(&Of("StoryBar")), "items over time, 24 stretches at most"),
    ("timeline", List(&Of("StoryItem")), "all of them, in time"),
];

const BASIS: Shape = Word(|| TimeBasis::ALL.iter().map(|basis| basis.as_str()).collect());
const TIE: Shape = Word(|| Tie::ALL.iter().map(|tie| tie.as_str()).collect());

const ITEM: &[Field] = &[
    ("key", Text, "public key of the item"),
    ("kind", KIND, "post or page"),
    ("author", Maybe(&Text), "handle"),
    ("title", Maybe(&Text), "title of a page"),
    ("text", Maybe(&Text), "text, 600 characters at most; foreign text"),
    ("url", Maybe(&Text), "address as first learned; foreign text"),
    ("at", Time, "its place in time"),
    ("at_is", BASIS, "whether that is when it was published, or only when it was seen"),
    ("published_at", Maybe(&Time), "when its source says it was published, also where that cannot be"),
    ("first_seen", Time, "when any topic first saw it"),
    ("topic", Text, "id of that topic"),
    ("source", Maybe(&SOURCE), "which source showed it then; null where the sighting is not kept"),
    ("engagement", Of("Engagement"), "reactions as last seen"),
    ("tie", TIE, "why it belongs to the story"),
    ("new_text", Flag, "it is the earliest of the story with its text"),
    ("revisions", Integer, "how often its words changed"),
    ("pruned", Flag, "its words were let go for their age"),
];

const PLACE: &[Field] = &[
    ("name", Text, "id of the topic, or the source"),
    ("items", Integer, "items that it saw"),
    ("first_seen", Time, "when it first saw one"),
    ("key", Text, "public key of that item"),
    ("author", Maybe(&Text), "handle"),
];

const AUTHOR: &[Field] = &[
    ("author", Text, "handle"),
    ("items", Integer, "items of the story"),
    (
        "reactions",
        Maybe(&Integer),
        "likes, reposts, replies and quotes of these as last seen; null where none is known",
    ),
];

const DOUBT: &[Field] = &[
    ("from", Time, "what was looked at: from a day before the earliest item"),
    ("until", Time, "to the latest, or 31 days"),
    ("holes", List(&Of("StoryHole")), "stretches that a source of a topic did not cover, the first 20"),
    ("holes_beyond", Integer, "how many more there are"),
    ("watched_later", List(&Of("StoryTopicSince")), "topics that were watched only later"),
    ("moments_only", List(&Text), "topics whose sources all look at a moment"),
    ("pruned_until", Maybe(&Time), "searches before this were pruned"),
    ("topics_beyond", Integer, "topics that were not looked at"),
];

const HOLE: &[Field] = &[
    ("topic", Text, "id of the topic"),
    ("source", SOURCE, "which source"),
    ("from", Time, "where it begins"),
    ("until", Time, "where it ends"),
    ("late_indexing", Flag, "whether it was searched, but posts of then may have been indexed later"),
];

pub(super) fn schemas() -> Vec<Named> {
    let peak = &[("hour", Time, "when it begins, UTC"), ("items", Integer, "items of this hour")];
    let since = &[("topic", Text, "id of the topic"), ("since", Time, "since when it is watched")];
    let bar = &[
        ("from", Time, "where it begins"),
        ("until", Time, "where it ends"),
        ("items", Integer, "items"),
        ("new_texts", Integer, "of these, those whose text the story did not have before"),
    ];
    vec![
        one("OneStory", "Story"),
        ("Story", object("How an item spread", &[STORY])),
        ("StoryItem", object("An item of a story", &[ITEM])),
        ("StoryPlace", object("Where a story was seen", &[PLACE])),
        ("StoryAuthor", object("Who brought it", &[AUTHOR])),
        ("StoryDoubt", object("Why something earlier may be missing", &[DOUBT])),
        ("StoryHole", object("A stretch that was not covered", &[HOLE])),
        ("StoryTopicSince", object("A topic that was watched only later", &[since])),
        ("StoryPeak", object("The hour with most items", &[peak])),
        ("StoryBar", object("Items of a stretch of time", &[bar])),
    ]
}
