//! Schemas of what was found: items with all that is known of them, and answers.

use serde_json::json;

use super::parts::{NEXT, Named, PAGED, SANDBOX, SOURCE, TOPIC, list, one};
use crate::model::{Kind, Mark, MarkedVia, Tone, WindowFit};
use crate::web::api::call::form::TEXT;
use crate::web::api::document::shape::Shape::{Flag, Integer, List, Maybe, Number, Of, Text, Time, Word};
use crate::web::api::document::shape::{Field, Shape, object};
use crate::web::api::table::parameters::KEY_CHARS;

const KEY: Field = ("key", Text, "public key of the item");
pub(super) const KIND: Shape = Word(|| Kind::ALL.iter().map(|kind| kind.as_str()).collect());
pub(super) const REVISIONS: Shape = List(&Of("Revision"));
const FIT: Shape = Word(|| WindowFit::ALL.iter().map(|fit| fit.as_str()).collect());
const MARK: Shape = Word(|| Mark::ALL.iter().map(|mark| mark.as_str()).collect());
const SOUND: Shape = Word(|| Tone::ALL.iter().map(|tone| tone.as_str()).collect());

const TONE: &[Field] = &[
    ("tone", Maybe(&SOUND), "its tone; null until it is scored"),
    ("score", Maybe(&Number), "from -1 to 1"),
    ("scorer", Maybe(&Text), "version of the scorer"),
];

/// An item as a topic knows it.
const ITEM: &[Field] = &[
    TOPIC,
    KEY,
    ("kind", KIND, "post or page"),
    ("url", Maybe(&Text), "address as first seen; untrusted text, not necessarily safe to follow"),
    ("author", Maybe(&Text), "handle, without @"),
    ("author_name", Maybe(&Text), "display name"),
    ("title", Maybe(&Text), "title of a page"),
    ("text", Maybe(&Text), "text of a post, snippet of a page; untrusted text"),
    ("lang", Maybe(&Text), "language tag as given"),
    ("published_at", Maybe(&Time), "when it was published"),
    ("first_seen", Time, "when this topic first saw it"),
    ("first_run", Text, "id of that run"),
    ("last_seen", Time, "when this topic last saw it"),
    ("last_run", Text, "id of that run"),
    ("times_seen", Integer, "in how many runs of this topic it was seen"),
    ("is_repost", Maybe(&Flag), "the service calls it a repost"),
    ("is_quote", Maybe(&Flag), "the service calls it a quote"),
    ("conversation_id", Maybe(&Text), "thread"),
    ("engagement", Of("Engagement"), "reactions as last seen"),
    ("revisions", Maybe(&Integer), "how often its text changed; null with a token for some topics"),
    (
        "cluster",
        Maybe(&Text),
        "key of the first of its near-copies; null until they are compared, and with a token for some topics",
    ),
    ("pruned_at", Maybe(&Time), "when its text was deleted because of its age"),
    ("mark", Maybe(&MARK), "its mark for this topic"),
    (
        "relevance",
        Maybe(&Number),
        "how likely it is good for this topic, from 0 to 1; null with fewer than 20 marks, if all are the same, or without its text",
    ),
    (
        "starred_at",
        Maybe(&Time),
        "when it was starred, for every topic; null without a star, or with a token for some topics",
    ),
    ("note", Maybe(&Text), "its note, for every topic; null without one, or with a token for some topics"),
];

const LISTED: &[Field] = &[
    ("fit", FIT, "whether it was published in the window of the search that first found it"),
    (
        "copies",
        Of("Copies"),
        "near-copies under it: those in this topic that match the filters; none with `copies=all`",
    ),
];

const PAGE: &[Field] = &[
    NEXT,
    SANDBOX,
    ("filtered", Integer, "rows of this page that the topic's filter hides, shown or not"),
    ("outside", Integer, "rows of this page left out because they were not new (`new_since`)"),
    ("noise", Integer, "rows of this page left out as likely noise (`noise=fold`)"),
    (
        "learned",
        Maybe(&Text),
        "how sure `relevance` is, in a sentence; null with too few marks, or if all are the same",
    ),
    (
        "complete",
        Flag,
        "false if only the 1,000 or 5,000 items first seen most recently were considered; true for `velocity` and `suggested`",
    ),
    (
        "unindexed",
        Integer,
        "items not yet in the text index: of all topics, or of this one if the token is for some topics; 0 without `search`",
    ),
];

const ENGAGEMENT: &[Field] = &[
    ("likes", Maybe(&Integer), "likes"),
    ("reposts", Maybe(&Integer), "reposts without a comment"),
    ("replies", Maybe(&Integer), "replies"),
    ("quotes", Maybe(&Integer), "reposts with a comment"),
    ("bookmarks", Maybe(&Integer), "bookmarks"),
    ("views", Maybe(&Integer), "views"),
];

const COPY: &[Field] = &[
    KEY,
    ("author", Maybe(&Text), "handle"),
    ("title", Maybe(&Text), "title"),
    ("text", Maybe(&Text), "text"),
    ("published_at", Maybe(&Time), "when it was published"),
];

const WHOLE: &[Field] = &[
    KEY,
    ("topics", List(&Of("Item")), "the item as each topic knows it"),
    ("sightings", List(&Of("Sighting")), "the latest 100, the latest first"),
    ("revisions", REVISIONS, "its latest 20 earlier texts"),
    ("copies", Of("Copies"), "its near-copies, of any topic"),
];

const MARKED: &[Field] = &[TOPIC, ("key", Text, "the key that was given"), ("mark", Maybe(&MARK), "its mark now")];

const MARK_SET: &[Field] = &[
    KEY,
    ("mark", MARK, "its mark"),
    ("at", Time, "when it was marked"),
    ("through", Word(|| MarkedVia::ALL.iter().map(|way| way.as_str()).collect()), "how it was set"),
    ("suggested", Flag, "whether the program had suggested to mark the item"),
];

const SIGHTING: &[Field] = &[
    ("run", Text, "id of the run"),
    TOPIC,
    ("seen_at", Time, "when the run looked"),
    ("source", SOURCE, "where"),
    ("rank", Integer, "place in the reply, from 1"),
    ("fit", FIT, "whether it was published in the window"),
    ("engagement", Of("Engagement"), "reactions at that time"),
];

const REVISION: &[Field] = &[
    ("replaced_at", Time, "when the change was seen"),
    ("title", Maybe(&Text), "title"),
    ("text", Maybe(&Text), "text"),
];

const ANSWER: &[Field] = &[
    ("run", Text, "id of the run"),
    TOPIC,
    ("asked_at", Time, "when the run looked"),
    ("model", Maybe(&Text), "label of the model"),
    ("text", Text, "the text; untrusted"),
    ("partial", Flag, "it was truncated"),
    ("cited", List(&Text), "keys of the items it is based on"),
];

pub(super) fn schemas() -> Vec<Named> {
    let copies = &[("count", Integer, "how many"), ("data", List(&Of("Copy")), "the first of them, by key")];
    let mut mark = object("An item and its new mark", &[&[KEY, ("mark", MARK, "the new mark")]]);
    let key = json!({ "type": "string", "minLength": 1, "maxLength": KEY_CHARS, "pattern": TEXT, "description": "a key of the item" });
    mark["properties"]["key"] = key;
    // Not required.
    mark["properties"]["suggested"] =
        json!({ "type": "boolean", "default": false, "description": "whether `order=suggested` listed the item" });
    vec![
        list("Items", &Of("ListedItem"), PAGE),
        ("Item", object("An item as a topic knows it", &[ITEM, TONE])),
        ("ListedItem", object("An item in a list", &[ITEM, TONE, LISTED])),
        ("Engagement", object("Reactions; null where they are not known", &[ENGAGEMENT])),
        ("Copies", object("Near-copies", &[copies])),
        ("Copy", object("A near-copy", &[COPY])),
        list("Marks", &Of("MarkSet"), PAGED),
        ("MarkSet", object("A marked item", &[MARK_SET])),
        one("OneMark", "Marked"),
        ("Marked", object("An item's mark", &[MARKED])),
        ("Mark", mark),
        one("OneItem", "WholeItem"),
        ("WholeItem", object("Everything about an item", &[WHOLE])),
        ("Sighting", object("An item in a reply", &[SIGHTING])),
        ("Revision", object("An earlier text of an item", &[REVISION])),
        list("Answers", &Of("Answer"), PAGED),
        ("Answer", object("A written summary", &[ANSWER])),
    ]
}
