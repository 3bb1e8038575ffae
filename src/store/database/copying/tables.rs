//! The list of all tables and columns, for copying and moving whole databases. A test compares it with both databases,
//! so that no migration adds a table or column that is missing here.

#[derive(Debug)]
pub(in crate::store) struct Table {
    pub(in crate::store) name: &'static str,
    /// The primary key columns, in order.
    pub(in crate::store) key: &'static [&'static str],
    /// Whether the database generates the key.
    pub(in crate::store) counted: bool,
    pub(in crate::store) numbers: &'static [&'static str],
    pub(in crate::store) texts: &'static [&'static str],
    pub(in crate::store) bytes: &'static [&'static str],
    /// Rows read per page; few for tables with long texts.
    pub(in crate::store) at_once: i64,
}

impl Table {
    /// All columns, in the order of the values of a row.
    pub(in crate::store) fn columns(&self) -> impl Iterator<Item = &'static str> {
        self.numbers.iter().chain(self.texts).chain(self.bytes).copied()
    }

    /// Returns the index of a column's value in a row.
    pub(in crate::store) fn column_index(&self, column: &str) -> usize {
        self.columns().position(|name| name == column).unwrap_or(usize::MAX)
    }
}

/// Tables that are not copied: state of running processes, and the word index, which is rebuilt from the copied rows
/// (on SQLite with the tables that it consists of).
pub(in crate::store) const LEFT: [&str; 10] = [
    "instance",
    "service_limit",
    "service_lease",
    "item_words",
    "item_words_due",
    "item_words_rules",
    "item_words_data",
    "item_words_idx",
    "item_words_docsize",
    "item_words_config",
];

/// The name in `store_info` of the mark of an unfinished copy.
pub(in crate::store) const UNFINISHED: &str = "unfinished_copy";

const MANY: i64 = 500;
const FEW: i64 = 20;

macro_rules! tables {
    ($($name:literal $key:tt, $counted:literal, $at_once:ident; n $numbers:tt; t $texts:tt; b $bytes:tt;)+) => {
        /// All tables, in an order in which referenced tables come first.
        pub(in crate::store) static TABLES: &[Table] = &[
            $(Table {
                name: $name,
                key: &$key,
                counted: $counted,
                numbers: &$numbers,
                texts: &$texts,
                bytes: &$bytes,
                at_once: $at_once,
            },)+
        ];
    };
}

tables! {
    "store_info" ["name"], false, MANY; n []; t ["name", "value"]; b [];
    "forgotten" ["hash"], false, MANY; n ["at", "done", "since"]; t ["hash", "kind"]; b [];
    "renamed" ["old_id"], false, MANY; n ["renamed_at"]; t ["old_id", "new_id"]; b [];
    "config_generation" ["number"], false, MANY; n ["number", "made_at"]; t ["hash"]; b [];
    "job" ["id"], false, MANY;
        n ["generation", "planned_until", "next_slot", "paused", "paused_at", "created_at", "removed_at"];
        t ["id", "kind", "topic", "title", "tags", "definition", "schedule", "pause_reason"]; b [];
    "run" ["id"], true, MANY;
        n ["id", "slot", "due_at", "attempt", "max_attempts", "side_by_side", "lease_until", "planned_at", "started_at", "finished_at", "found",
           "new", "duplicate", "outside", "undated", "unreadable", "cost", "seq", "handed_attempt", "handed_at", "clears_at", "thinned", "pruned_at", "erased",
           "erased_new", "merged_new"];
        t ["public_id", "job", "topic", "trigger", "state", "reason", "token", "error_class", "error_text"]; b [];
    "search" ["id"], true, MANY;
        n ["id", "run", "attempt", "http_status", "tries", "started_at", "finished_at", "latency_ms", "found", "new", "duplicate", "outside",
           "undated", "unreadable", "saturated", "expected_cost", "cost", "asked_from", "asked_until", "covered_from", "covered_until",
           "counted_on", "counted_before", "clears_at", "late_ms"];
        t ["source", "operation", "query", "state", "reason", "cost_basis", "error_class", "error_text", "topic"]; b [];
    "calls" ["provider", "day"], false, MANY; n ["day", "made", "spent"]; t ["provider"]; b [];
    "topic_calls" ["topic", "day"], false, MANY; n ["day", "made", "spent"]; t ["topic"]; b [];
    "item" ["id"], true, MANY;
        n ["id", "strong", "published_at", "first_seen", "last_seen", "is_repost", "is_quote", "likes", "reposts", "replies", "quotes",
           "bookmarks", "views", "revisions", "cluster", "score", "pruned_at", "past"];
        t ["key", "kind", "post_id", "url", "author", "author_name", "title", "text", "lang", "conversation_id", "tone", "scorer"];
        b ["fingerprint"];
    "item_key" ["key"], false, MANY; n ["version", "item"]; t ["key"]; b [];
    "sighting" ["run", "item", "source"], false, MANY;
        n ["run", "item", "rank", "likes", "reposts", "replies", "quotes", "bookmarks", "views"]; t ["source", "fit"]; b [];
    "topic_item" ["topic", "item"], false, MANY;
        n ["item", "first_seen", "first_run", "last_seen", "last_run", "times_seen", "first_fit", "first_baseline"]; t ["topic"]; b [];
    "item_mark" ["topic", "item"], false, MANY; n ["item", "at", "suggested"]; t ["topic", "mark", "through"]; b [];
    "access_token" ["name"], false, MANY;
        n ["made_at", "withdrawn_at", "last_used_at"]; t ["name", "role", "topics", "tags", "hash"]; b [];
    "share_link" ["id"], false, MANY; n ["made_at", "expires_at", "withdrawn_at"]; t ["id", "kind", "target", "hash"]; b [];
    "item_star" ["item"], false, MANY; n ["item", "at"]; t []; b [];
    "item_note" ["item"], false, MANY; n ["item", "at"]; t ["note"]; b [];
    "saved_search" ["name"], false, MANY; n ["made_at"]; t ["name", "topic", "filters"]; b [];
    "answer" ["run"], false, FEW; n ["run", "partial"]; t ["text", "model", "cited"]; b [];
    "item_revision" ["item", "run"], false, MANY; n ["item", "run", "replaced_at"]; t ["title", "text"]; b [];
    "item_past" ["id"], true, MANY;
        n ["id", "item", "run", "published_at"]; t ["url", "author", "author_name", "title", "text", "lang"]; b [];
    "raw_reply" ["search"], false, FEW; n ["search", "received_at", "bytes", "truncated"]; t ["request", "dialect", "headers"]; b ["body"];
    "cluster_head" ["place"], false, MANY; n ["place", "item"]; t []; b ["sketch", "keys"];
    "cluster_lead" ["key", "place"], false, MANY; n ["key", "place"]; t []; b [];
    "cluster_lead_young" ["key", "place"], false, MANY; n ["key", "place"]; t []; b [];
    "cluster_lead_middle" ["key", "place"], false, MANY; n ["key", "place"]; t []; b [];
    "cluster_state" ["one"], false, MANY; n ["one", "next", "turn", "young", "middle", "sinking"]; t []; b [];
    "topic_day" ["topic", "day_from"], false, MANY;
        n ["day_from", "day_until", "items", "unique_items", "negative", "neutral", "positive"]; t ["topic", "scorer_from", "scorer_to"]; b [];
    "topic_day_due" ["topic"], false, MANY; n ["turn"]; t ["topic"]; b [];
    "topic_term" ["topic", "day_from"], false, FEW; n ["day_from", "day_until", "items"]; t ["topic"]; b ["basis", "counts"];
    "pruned_day" ["topic", "day"], false, MANY; n ["day", "runs", "calls", "cost"]; t ["topic"]; b [];
    "tally" ["name", "labels", "bound"], false, MANY; n ["bound", "value"]; t ["name", "labels"]; b [];
    "topic_latest" ["topic", "source"], false, MANY; n ["answered_at", "new_at"]; t ["topic", "source"]; b [];
    "request" ["id"], false, MANY;
        n ["asked_at", "done_at", "length"]; t ["id", "kind", "topic", "alert", "event", "state", "answer"]; b [];
    "provider_memory" ["topic", "source", "name"], false, FEW; n ["at"]; t ["topic", "source", "name", "value"]; b [];
    "follower" ["name"], false, MANY; n ["seq", "at", "caught_up"]; t ["name"]; b [];
    "report" ["run"], false, MANY; n ["made_at", "span_from", "span_until", "seq", "delivered_at"]; t ["run", "name", "subject", "files"]; b [];
    "outbox" ["event"], false, FEW;
        n ["attempt", "created_at", "next_at", "lease_until", "delivered_at"];
        t ["event", "channel", "kind", "origin", "subject", "text", "html", "data", "state", "token", "error"]; b [];
    "alert_event" ["event"], false, MANY;
        n ["at", "acked_at"]; t ["event", "alert", "subject", "kind", "summary", "lines", "message", "muted"]; b [];
    "alert_firing" ["alert", "subject"], false, MANY; n ["since", "acked"]; t ["alert", "subject"]; b [];
    "alert_state" ["alert"], false, MANY; n ["sent_at", "snoozed_until"]; t ["alert"]; b [];
    "export_edition" ["export", "number"], false, MANY;
        n ["number", "at", "seq_since", "seq_until", "written", "done_at"]; t ["export", "run", "definition", "files"]; b [];
    "export_placed" ["export", "number", "file"], false, MANY; n ["number", "written"]; t ["export", "topic", "file", "what"]; b [];
}
