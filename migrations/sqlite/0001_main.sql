-- The tables of topicwatch in SQLite. migrations/postgres holds the same tables, columns and rules in the same order; only types
-- differ. Times are whole milliseconds since 1970 UTC, money is whole micro-dollars, flags are 0 or 1.

-- ---- The database itself ----

-- Facts about the database itself, by name: whether it holds real or invented findings, since when it counts money, up to when it was
-- pruned, whether a copy into it is unfinished.
CREATE TABLE store_info (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A generation is a topic set that became the one in force; `hash` is that of its definitions, in order of id.
CREATE TABLE config_generation (
    number  INTEGER NOT NULL PRIMARY KEY,
    hash    TEXT NOT NULL,
    made_at INTEGER NOT NULL
) STRICT;
CREATE INDEX config_generation_hash ON config_generation (hash);

-- A process that runs what is due. It counts as alive until `alive_until`, which it keeps moving.
CREATE TABLE instance (
    id          TEXT NOT NULL PRIMARY KEY,
    role        TEXT NOT NULL,
    generation  INTEGER NOT NULL,
    started_at  INTEGER NOT NULL,
    seen_at     INTEGER NOT NULL,
    alive_until INTEGER NOT NULL
) STRICT;

-- ---- The ledger: what is to run, what ran, and each call ----

-- A job is anything with a schedule: `topic:ID`, `report:NAME`, `export:NAME`, `prune`; `alert:NAME` has none. `definition` is what a
-- worker runs, whatever its own file says. `topic`, `title` and `tags` are those of a topic; other jobs have none.
CREATE TABLE job (
    id            TEXT NOT NULL PRIMARY KEY,
    kind          TEXT NOT NULL,
    topic         TEXT UNIQUE,
    title         TEXT,
    tags          TEXT,
    definition    TEXT NOT NULL,
    generation    INTEGER NOT NULL,
    schedule      TEXT,
    -- Slots up to here have runs.
    planned_until INTEGER,
    -- When a planner is to look again: the first slot after `planned_until`, 0 when nobody has worked it out yet, null when there is
    -- none. What is due is read by the index, however many jobs wait for later.
    next_slot     INTEGER,
    paused        INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
    paused_at     INTEGER,
    pause_reason  TEXT,
    created_at    INTEGER NOT NULL,
    removed_at    INTEGER,
    CHECK ((kind = 'topic') = (topic IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX job_next ON job (next_slot, id) WHERE removed_at IS NULL AND paused = 0 AND next_slot IS NOT NULL;
-- Finds jobs planned too far ahead by a clock that was wrong.
CREATE INDEX job_planned ON job (planned_until) WHERE removed_at IS NULL AND paused = 0 AND next_slot IS NOT NULL;
-- The topics that are watched, and how many.
CREATE INDEX job_watched ON job (topic) WHERE kind = 'topic' AND removed_at IS NULL;
-- Topics by their own ids.
CREATE VIEW topic AS
SELECT topic AS id, title, tags, definition, generation, schedule, planned_until, next_slot, paused, paused_at, pause_reason, created_at, removed_at
FROM job WHERE kind = 'topic';

-- Former ids of renamed topics: a file that still says the old id must not begin a second history.
CREATE TABLE renamed (
    old_id     TEXT NOT NULL PRIMARY KEY,
    new_id     TEXT NOT NULL,
    renamed_at INTEGER NOT NULL
) STRICT;

-- The ledger: one row per (job, slot), or per manual run (slot is null). `seq` is the order in which finished runs
-- became readable; readers follow it, never `id`.
CREATE TABLE run (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    public_id      TEXT NOT NULL UNIQUE,
    job            TEXT NOT NULL,
    topic          TEXT,
    slot           INTEGER,
    trigger        TEXT NOT NULL CHECK (trigger IN ('scheduled', 'catch_up', 'manual')),
    state          TEXT NOT NULL CHECK (state IN ('queued', 'running', 'ok', 'partial', 'failed', 'over_quota', 'missed', 'skipped', 'cancelled')),
    reason         TEXT,
    due_at         INTEGER NOT NULL,
    attempt        INTEGER NOT NULL DEFAULT 0,
    max_attempts   INTEGER NOT NULL DEFAULT 3,
    side_by_side   INTEGER NOT NULL DEFAULT 0 CHECK (side_by_side IN (0, 1)),
    lease_until    INTEGER,
    token          TEXT,
    planned_at     INTEGER NOT NULL,
    started_at     INTEGER,
    finished_at    INTEGER,
    found          INTEGER NOT NULL DEFAULT 0,
    new            INTEGER NOT NULL DEFAULT 0,
    duplicate      INTEGER NOT NULL DEFAULT 0,
    outside        INTEGER NOT NULL DEFAULT 0,
    undated        INTEGER NOT NULL DEFAULT 0,
    unreadable     INTEGER NOT NULL DEFAULT 0,
    cost           INTEGER NOT NULL DEFAULT 0,
    error_class    TEXT,
    error_text     TEXT,
    seq            INTEGER,
    -- For which attempt a queued run was last handed to another engine than the ledger, and when.
    handed_attempt INTEGER,
    handed_at      INTEGER,
    clears_at      INTEGER,
    -- Of a run's sightings: null while nobody looked whether they may go, 0 when the snapshot stays whole, 1 when only those
    -- are left by which its topic saw an item first or last.
    thinned        INTEGER CHECK (thinned IN (0, 1)),
    -- When its searches, its answer and what was left of its sightings went; the row stays while an item was seen in it
    -- first or last.
    pruned_at      INTEGER,
    -- What was taken away of what a run counted: sightings, and items that it was the first of its topic to see.
    erased         INTEGER NOT NULL DEFAULT 0,
    erased_new     INTEGER NOT NULL DEFAULT 0,
    -- How many items a run counted as new that turned out to be items which its topic had seen before: two became one.
    merged_new     INTEGER NOT NULL DEFAULT 0,
    UNIQUE (job, slot)
) STRICT;
CREATE INDEX run_due ON run (due_at, id) WHERE state = 'queued';
CREATE INDEX run_lease ON run (lease_until) WHERE state = 'running';
-- Only the runs that have a number: those that wait for one are found by the next index.
CREATE UNIQUE INDEX run_seq ON run (seq) WHERE seq IS NOT NULL;
CREATE INDEX run_unnumbered ON run (finished_at, public_id) WHERE seq IS NULL AND finished_at IS NOT NULL;
CREATE INDEX run_topic ON run (topic, seq);
CREATE INDEX run_at ON run (coalesce(started_at, slot, planned_at), public_id);
CREATE INDEX run_active ON run (job) WHERE state IN ('queued', 'running');
-- Manual runs, looked for every second.
CREATE INDEX run_asked ON run (id) WHERE state = 'queued' AND trigger = 'manual';
-- Runs whose items are not clustered yet.
CREATE INDEX run_brought ON run (seq) WHERE seq IS NOT NULL AND new > 0;
-- Runs of jobs that wait; those of topics are found by `run_due`.
CREATE INDEX run_job_due ON run (due_at, id) WHERE state = 'queued' AND topic IS NULL;
CREATE INDEX run_whole ON run ((started_at / 86400000), topic, seq) WHERE thinned IS NULL AND found > 0 AND seq IS NOT NULL;
CREATE INDEX run_full ON run ((coalesce(started_at, slot, planned_at)), id) WHERE pruned_at IS NULL;
-- Runs that did not end well, by time: few among many. The others are found by time alone, or by the indexes above.
CREATE INDEX run_unwell ON run (state, coalesce(started_at, slot, planned_at), public_id)
WHERE state NOT IN ('ok', 'queued', 'running');
-- A topic's runs by time, for its page.
CREATE INDEX run_topic_at ON run (topic, coalesce(started_at, slot, planned_at), public_id);

-- One call of one source within one attempt of a run; committed as 'started' before money can be spent.
CREATE TABLE search (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    run            INTEGER NOT NULL REFERENCES run (id),
    attempt        INTEGER NOT NULL,
    source         TEXT NOT NULL CHECK (source IN ('social', 'web', 'ai')),
    operation      TEXT NOT NULL,
    query          TEXT NOT NULL,
    state          TEXT NOT NULL CHECK (state IN ('started', 'ok', 'empty', 'error', 'over_quota', 'not_run', 'lost')),
    reason         TEXT,
    http_status    INTEGER,
    tries          INTEGER NOT NULL DEFAULT 0,
    started_at     INTEGER NOT NULL,
    finished_at    INTEGER,
    latency_ms     INTEGER,
    found          INTEGER NOT NULL DEFAULT 0,
    new            INTEGER NOT NULL DEFAULT 0,
    duplicate      INTEGER NOT NULL DEFAULT 0,
    outside        INTEGER NOT NULL DEFAULT 0,
    undated        INTEGER NOT NULL DEFAULT 0,
    unreadable     INTEGER NOT NULL DEFAULT 0,
    saturated      INTEGER NOT NULL DEFAULT 0 CHECK (saturated IN (0, 1)),
    expected_cost  INTEGER NOT NULL DEFAULT 0,
    cost           INTEGER,
    cost_basis     TEXT CHECK (cost_basis IN ('billed', 'assumed', 'none')),
    error_class    TEXT,
    error_text     TEXT,
    topic          TEXT,
    asked_from     INTEGER,
    asked_until    INTEGER,
    covered_from   INTEGER,
    covered_until  INTEGER,
    -- The day on which a search was last counted, and what it was counted at on earlier days: tries may pass midnight.
    counted_on     INTEGER,
    counted_before INTEGER NOT NULL DEFAULT 0,
    -- When there is more of what was used up.
    clears_at      INTEGER,
    -- How late the new posts of a reply were, milliseconds: of those that the search before should have shown, how long before that
    -- search they were published. Unknown where no post was new or nothing was asked before.
    late_ms        INTEGER,
    UNIQUE (run, attempt, source)
) STRICT;
CREATE INDEX search_open ON search (run) WHERE state = 'started';
CREATE INDEX search_covered ON search (topic, source, covered_until) WHERE covered_until IS NOT NULL;
-- Full replies that cover nothing: each run asks how far its topic was covered.
CREATE INDEX search_in_vain ON search (topic, source, asked_until) WHERE saturated = 1 AND covered_until IS NULL;

-- What people ask for in pages and API: to run or pause a topic, to acknowledge or snooze an alert. It holds a week of requests.
-- `topic` or `alert` says what it is about, `event` which event is acknowledged, `length` how long to snooze, in milliseconds.
CREATE TABLE request (
    id       TEXT NOT NULL PRIMARY KEY,
    kind     TEXT NOT NULL CHECK (kind IN ('run_now', 'pause', 'resume', 'ack', 'snooze', 'unsnooze')),
    topic    TEXT,
    alert    TEXT,
    event    TEXT,
    length   INTEGER,
    asked_at INTEGER NOT NULL,
    state    TEXT NOT NULL CHECK (state IN ('queued', 'done', 'refused')),
    answer   TEXT,
    done_at  INTEGER,
    CHECK ((topic IS NULL) <> (alert IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX request_open ON request (asked_at, id) WHERE state = 'queued';
CREATE INDEX request_topic ON request (topic, asked_at);
CREATE INDEX request_alert ON request (asked_at, id) WHERE alert IS NOT NULL;

-- ---- Limits and money ----

-- Calls made per UTC day over all processes, counted before each call.
CREATE TABLE calls (
    day   INTEGER NOT NULL PRIMARY KEY,
    made  INTEGER NOT NULL,
    -- What the day's calls cost, or may cost while that is not known; null while nobody has a budget of money.
    spent INTEGER
) STRICT;

-- The same for topics that have a limit of their own.
CREATE TABLE topic_calls (
    topic TEXT NOT NULL,
    day   INTEGER NOT NULL,
    made  INTEGER NOT NULL,
    spent INTEGER NOT NULL,
    PRIMARY KEY (topic, day)
) STRICT, WITHOUT ROWID;

-- When the bucket of starts is full again, in microseconds: rates are finer than the milliseconds of other times.
CREATE TABLE service_limit (
    service    TEXT NOT NULL PRIMARY KEY,
    full_at_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How many calls a process may have in flight until `lease_until`; `most` and `period_us` are the limits in its own file.
CREATE TABLE service_lease (
    service     TEXT NOT NULL,
    holder      TEXT NOT NULL,
    permits     INTEGER NOT NULL CHECK (permits >= 0),
    wanted      INTEGER NOT NULL CHECK (wanted >= 0),
    most        INTEGER NOT NULL CHECK (most >= 1),
    period_us   INTEGER NOT NULL CHECK (period_us >= 0),
    lease_until INTEGER NOT NULL,
    PRIMARY KEY (service, holder)
) STRICT, WITHOUT ROWID;

-- ---- What was found ----

-- A post or page, once, whichever topic, run or source found it. `key` never changes.
CREATE TABLE item (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    key             TEXT NOT NULL UNIQUE,
    kind            TEXT NOT NULL CHECK (kind IN ('post', 'page')),
    strong          INTEGER NOT NULL CHECK (strong IN (0, 1)),
    post_id         TEXT,
    url             TEXT,
    author          TEXT,
    author_name     TEXT,
    title           TEXT,
    text            TEXT,
    lang            TEXT,
    published_at    INTEGER,
    first_seen      INTEGER NOT NULL,
    last_seen       INTEGER NOT NULL,
    is_repost       INTEGER CHECK (is_repost IN (0, 1)),
    is_quote        INTEGER CHECK (is_quote IN (0, 1)),
    conversation_id TEXT,
    likes           INTEGER,
    reposts         INTEGER,
    replies         INTEGER,
    quotes          INTEGER,
    bookmarks       INTEGER,
    views           INTEGER,
    revisions       INTEGER NOT NULL DEFAULT 0,
    fingerprint     BLOB,
    cluster         INTEGER,
    tone            TEXT,
    score           INTEGER,
    scorer          TEXT,
    -- When an item's words went; null again when it was seen once more.
    pruned_at       INTEGER,
    past            INTEGER NOT NULL DEFAULT 0
) STRICT;
-- Finds the copies of an item: only items that are not the first of their cluster.
CREATE INDEX item_copies ON item (cluster) WHERE cluster <> id;
-- By a value that never changes, so that seeing an item again costs nothing here.
CREATE INDEX item_worded ON item (first_seen, id) WHERE pruned_at IS NULL;

-- Several keys may name one item: a new rule, or a post id seen later, joins it without losing `first_seen`.
CREATE TABLE item_key (
    key     TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    item    INTEGER NOT NULL REFERENCES item (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_key_item ON item_key (item);

-- What an item's title and text were until `replaced_at`.
CREATE TABLE item_revision (
    item        INTEGER NOT NULL REFERENCES item (id),
    run         INTEGER NOT NULL REFERENCES run (id),
    replaced_at INTEGER NOT NULL,
    title       TEXT,
    text        TEXT,
    PRIMARY KEY (item, run)
) STRICT, WITHOUT ROWID;
-- Finds the edits of a span.
CREATE INDEX item_revision_at ON item_revision (replaced_at);
CREATE INDEX item_revision_run ON item_revision (run);

-- What an item looked like before a run changed it, so that exports of earlier runs show it as it was then.
-- `item.past` counts these rows, since nearly no item has one.
CREATE TABLE item_past (
    id           INTEGER PRIMARY KEY,
    item         INTEGER NOT NULL REFERENCES item (id),
    run          INTEGER NOT NULL REFERENCES run (id),
    url          TEXT,
    author       TEXT,
    author_name  TEXT,
    title        TEXT,
    text         TEXT,
    lang         TEXT,
    published_at INTEGER
) STRICT;
CREATE INDEX item_past_of ON item_past (item, id);
CREATE INDEX item_past_run ON item_past (run);

-- "Run R saw item I at rank K in source S", with the reactions of that moment.
CREATE TABLE sighting (
    run       INTEGER NOT NULL REFERENCES run (id),
    item      INTEGER NOT NULL REFERENCES item (id),
    source    TEXT NOT NULL CHECK (source IN ('social', 'web', 'ai')),
    rank      INTEGER NOT NULL,
    fit       TEXT NOT NULL CHECK (fit IN ('in', 'outside', 'undated')),
    likes     INTEGER,
    reposts   INTEGER,
    replies   INTEGER,
    quotes    INTEGER,
    bookmarks INTEGER,
    views     INTEGER,
    PRIMARY KEY (run, item, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX sighting_item ON sighting (item);

-- Which topic knows which item: when and in which run it saw it first and last. No key leads to `run`: runs are pruned, these stay.
CREATE TABLE topic_item (
    topic      TEXT NOT NULL,
    item       INTEGER NOT NULL REFERENCES item (id),
    first_seen INTEGER NOT NULL,
    first_run  INTEGER NOT NULL,
    last_seen  INTEGER NOT NULL,
    last_run   INTEGER NOT NULL,
    times_seen INTEGER NOT NULL,
    PRIMARY KEY (topic, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_item_new ON topic_item (topic, first_seen);
CREATE INDEX topic_item_first ON topic_item (first_seen);
CREATE INDEX topic_item_item ON topic_item (item);

-- The answer of an AI search, and the keys of the items it cites.
CREATE TABLE answer (
    run     INTEGER NOT NULL PRIMARY KEY REFERENCES run (id),
    text    TEXT NOT NULL,
    model   TEXT,
    partial INTEGER NOT NULL CHECK (partial IN (0, 1)),
    cited   TEXT NOT NULL
) STRICT;

-- The reply as it came, compressed with gzip and bounded, so that it can be read again by a better decoder.
CREATE TABLE raw_reply (
    search      INTEGER NOT NULL PRIMARY KEY REFERENCES search (id),
    request     TEXT NOT NULL,
    dialect     TEXT NOT NULL,
    headers     TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    bytes       INTEGER NOT NULL,
    truncated   INTEGER NOT NULL CHECK (truncated IN (0, 1)),
    body        BLOB NOT NULL
) STRICT;
CREATE INDEX raw_reply_at ON raw_reply (received_at, search);

-- ---- Followers of the runs ----

-- Followers read the runs in the order of `seq`: the number of the last run that each has read, and the instant up to which it told of
-- them. Reports, exports and alerts have the names of their jobs and move after delivery only; `near-copies`, `days` and
-- `counters` derive what is read often. `caught_up` says whether a follower had read all there was at some time.
CREATE TABLE follower (
    name      TEXT NOT NULL PRIMARY KEY,
    seq       INTEGER NOT NULL,
    at        INTEGER NOT NULL DEFAULT 0,
    caught_up INTEGER NOT NULL DEFAULT 0 CHECK (caught_up IN (0, 1))
) STRICT, WITHOUT ROWID;
INSERT INTO follower (name, seq) VALUES ('near-copies', 0), ('days', 0), ('counters', 0);

-- ---- Near-copies ----

-- The first item of each cluster, by its place in the order in which they began, and what its text consisted of then.
-- Two places lead to one item when two first items turned out to be one.
CREATE TABLE cluster_head (
    place  INTEGER PRIMARY KEY,
    item   INTEGER NOT NULL REFERENCES item (id),
    sketch BLOB NOT NULL,
    -- The keys under which the first item of a cluster is found, eight bytes each, beside it: whoever forgets it deletes them
    -- without reading every key. `item.fingerprint` is from now on the key of
    -- a copy that says it in words of its own; keys of copies from before stand with their first item.
    keys   BLOB NOT NULL DEFAULT x''
) STRICT;
CREATE INDEX cluster_head_item ON cluster_head (item);

-- The keys under which near-copies find it.
CREATE TABLE cluster_lead (
    key   INTEGER NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (key, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE cluster_lead_middle (
    key   INTEGER NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (key, place)
) STRICT, WITHOUT ROWID;

-- Keys of near-copies by age. In one large index each new key would touch a page of its own. So new keys go into a small table; when
-- it is full they move on in order of key, many to a page. Each key is in exactly one of the three tables.
CREATE TABLE cluster_lead_young (
    key   INTEGER NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (key, place)
) STRICT, WITHOUT ROWID;

-- The state of near-copies: the place of the next cluster, a number that changes with everything that is written, how many keys lie in the
-- small tables, and which of these is moving on (-1: none).
CREATE TABLE cluster_state (
    one     INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    next    INTEGER NOT NULL,
    turn    INTEGER NOT NULL,
    young   INTEGER NOT NULL DEFAULT 0,
    middle  INTEGER NOT NULL DEFAULT 0,
    sinking INTEGER NOT NULL DEFAULT -1
) STRICT;
INSERT INTO cluster_state (one, next, turn) VALUES (1, 1, 0);

-- ---- Text search ----

-- The text index: the tokens of an item's words, made by the program (`normalise::words`), so that both databases
-- find the same. The index holds tokens and their places, no text; its rowid is the item. The tokenizer only parts at the
-- spaces between tokens: whatever is not ASCII belongs to one, and tokens hold no other ASCII than letters, digits, `_`.
CREATE VIRTUAL TABLE item_words USING fts5 (
    words,
    content = '',
    contentless_delete = 1,
    tokenize = "ascii tokenchars '_'"
);

-- Items whose words are new, or others than before, and not indexed yet.
CREATE TABLE item_words_due (
    item INTEGER PRIMARY KEY
) STRICT;

-- The version of the rules by which items were indexed, or will be; no row before anything was. Like the index it stays
-- behind when a database is moved, so that the copy is indexed anew.
CREATE TABLE item_words_rules (
    version INTEGER NOT NULL PRIMARY KEY
) STRICT;

-- ---- Days and counters ----

-- What each topic found on each of its local days, counted beside the loop, so that pages need not. A day is told by its instants, since what a local day is, the program knows. An item
-- counts on the day it was published, else when it was first seen. No row: nothing was found that day.
CREATE TABLE topic_day (
    topic        TEXT NOT NULL,
    day_from     INTEGER NOT NULL,
    day_until    INTEGER NOT NULL,
    items        INTEGER NOT NULL,
    unique_items INTEGER NOT NULL,
    negative     INTEGER NOT NULL,
    neutral      INTEGER NOT NULL,
    positive     INTEGER NOT NULL,
    -- Between which scorers, in the order of their names, those lie that judged the tones of a day: two that differ say that its
    -- shares are of several. Days are counted anew.
    scorer_from  TEXT,
    scorer_to    TEXT,
    PRIMARY KEY (topic, day_from)
) STRICT, WITHOUT ROWID;

-- Topics whose days are to be counted anew; `turn` rises when one is named again meanwhile.
CREATE TABLE topic_day_due (
    topic TEXT NOT NULL PRIMARY KEY,
    turn  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Sums, which never fall: `labels` are the values of what `name` is divided by, `bound` is the bucket of a histogram
-- (milliseconds, 0 above all), and 0 otherwise.
CREATE TABLE tally (
    name   TEXT NOT NULL,
    labels TEXT NOT NULL,
    bound  INTEGER NOT NULL,
    value  INTEGER NOT NULL,
    PRIMARY KEY (name, labels, bound)
) STRICT, WITHOUT ROWID;

-- When each source of a topic last answered, and last brought something new.
CREATE TABLE topic_latest (
    topic       TEXT NOT NULL,
    source      TEXT NOT NULL,
    answered_at INTEGER NOT NULL,
    new_at      INTEGER,
    PRIMARY KEY (topic, source)
) STRICT, WITHOUT ROWID;

-- ---- Reports, exports, alerts and their delivery ----

-- A report that was made, `name` being that of its job and its cursor: written in the transaction that ends its run and queues what is to be delivered of it.
CREATE TABLE report (
    run          TEXT NOT NULL PRIMARY KEY,
    name         TEXT NOT NULL,
    made_at      INTEGER NOT NULL,
    span_from    INTEGER NOT NULL,
    span_until   INTEGER NOT NULL,
    seq          INTEGER NOT NULL,
    subject      TEXT NOT NULL,
    files        TEXT NOT NULL,
    delivered_at INTEGER
) STRICT;
CREATE INDEX report_name ON report (name, made_at);

-- What an export of the configuration wrote, or is writing: an edition. Its stretch of the reading order and its definition
-- are fixed before its first byte, so that whoever takes over after a kill puts the same rows into files of the same names.
-- `export` is the name of its job and its cursor; a run begins one edition at most; `files` is null until all are in place.
CREATE TABLE export_edition (
    export     TEXT NOT NULL,
    number     INTEGER NOT NULL,
    run        TEXT NOT NULL,
    at         INTEGER NOT NULL,
    seq_since  INTEGER NOT NULL,
    seq_until  INTEGER NOT NULL,
    definition TEXT NOT NULL,
    files      TEXT,
    written    INTEGER,
    done_at    INTEGER,
    PRIMARY KEY (export, number),
    UNIQUE (export, run)
) STRICT, WITHOUT ROWID;

-- `event` is made of alert, run (or day) and subject, so that what is looked at twice is told once. `message` is what told of
-- it; while both it and `muted` are null it waits for its turn.
CREATE TABLE alert_event (
    event    TEXT NOT NULL PRIMARY KEY,
    alert    TEXT NOT NULL,
    subject  TEXT NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('fired', 'recovered')),
    at       INTEGER NOT NULL,
    summary  TEXT NOT NULL,
    lines    TEXT NOT NULL,
    message  TEXT,
    muted    TEXT,
    acked_at INTEGER
) STRICT;
CREATE INDEX alert_event_at ON alert_event (at, event);
CREATE INDEX alert_event_waiting ON alert_event (alert, at, event) WHERE message IS NULL AND muted IS NULL;
-- An alert's own history, and what fires for a topic.
CREATE INDEX alert_event_of ON alert_event (alert, at, event);

-- What fires now, for which subject, and whether somebody acknowledged it.
CREATE TABLE alert_firing (
    alert   TEXT NOT NULL,
    subject TEXT NOT NULL,
    since   INTEGER NOT NULL,
    acked   INTEGER NOT NULL DEFAULT 0 CHECK (acked IN (0, 1)),
    PRIMARY KEY (alert, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX alert_firing_subject ON alert_firing (subject);

-- When an alert last sent something, and until when it is snoozed.
CREATE TABLE alert_state (
    alert         TEXT NOT NULL PRIMARY KEY,
    sent_at       INTEGER,
    snoozed_until INTEGER
) STRICT, WITHOUT ROWID;

-- What is to be sent: each event to one channel, until it is sent or dead. `event` is the same at every try, so that
-- whoever receives it twice can tell. `origin` is the run it came of.
CREATE TABLE outbox (
    event        TEXT NOT NULL PRIMARY KEY,
    channel      TEXT NOT NULL,
    kind         TEXT NOT NULL,
    origin       TEXT,
    subject      TEXT NOT NULL,
    text         TEXT NOT NULL,
    html         TEXT,
    data         TEXT,
    state        TEXT NOT NULL CHECK (state IN ('queued', 'sending', 'sent', 'dead')),
    attempt      INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL,
    next_at      INTEGER NOT NULL,
    lease_until  INTEGER,
    token        TEXT,
    error        TEXT,
    delivered_at INTEGER
) STRICT;
CREATE INDEX outbox_due ON outbox (channel, next_at, event) WHERE state = 'queued';
CREATE INDEX outbox_lease ON outbox (channel, lease_until) WHERE state = 'sending';
CREATE INDEX outbox_origin ON outbox (origin);
CREATE INDEX outbox_at ON outbox (created_at, event);
CREATE INDEX outbox_dead ON outbox (event) WHERE state = 'dead';

-- ---- Retention and erasure ----

-- What a topic's searches of a UTC day were before they were pruned: runs that searched, calls, and what they cost. What is
-- left of the day is still in `search`; both together are the day.
CREATE TABLE pruned_day (
    topic TEXT NOT NULL,
    day   INTEGER NOT NULL,
    runs  INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    cost  INTEGER NOT NULL,
    PRIMARY KEY (topic, day)
) STRICT, WITHOUT ROWID;

-- What was forgotten on request. A tombstone is a keyed hash (the key is
-- `forget_key` in store_info), so that what must not come back is known again and not told. `done` is 0 until everything
-- that it names is gone; `since` is when the first of that was seen, so that files made since can be named.
CREATE TABLE forgotten (
    hash  TEXT NOT NULL PRIMARY KEY,
    kind  TEXT NOT NULL CHECK (kind IN ('author', 'item', 'topic')),
    at    INTEGER NOT NULL,
    done  INTEGER NOT NULL CHECK (done IN (0, 1)),
    since INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX forgotten_open ON forgotten (kind) WHERE done = 0;

-- ---- Views for SQL and BI tools (docs: the reference of SQL views) ----

-- Public ids instead of database ids, times as ISO 8601 text, money in dollars. Columns are only ever added. They show finished,
-- numbered runs only.

CREATE VIEW v_sighting AS
SELECT r.seq, r.public_id AS run, r.topic,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.started_at / 1000.0, 'unixepoch') AS seen_at,
       s.source, s.rank, i.key, s.fit, s.likes, s.reposts, s.replies, s.quotes, s.bookmarks, s.views
FROM sighting s JOIN run r ON r.id = s.run JOIN item i ON i.id = s.item WHERE r.seq IS NOT NULL;

CREATE VIEW v_answer AS
SELECT r.seq, r.public_id AS run, r.topic,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.started_at / 1000.0, 'unixepoch') AS asked_at,
       a.model, a.text, a.partial, a.cited
FROM answer a JOIN run r ON r.id = a.run WHERE r.seq IS NOT NULL;

CREATE VIEW v_search AS
SELECT r.seq, r.public_id AS run, r.topic, s.attempt, s.source, s.operation, s.query, s.state, s.reason, s.http_status, s.tries,
       strftime('%Y-%m-%dT%H:%M:%fZ', s.started_at / 1000.0, 'unixepoch') AS started_at,
       s.latency_ms, s.found, s.new, s.duplicate, s.outside, s.undated, s.unreadable, s.saturated,
       s.expected_cost / 1000000.0 AS expected_cost_usd, s.cost / 1000000.0 AS cost_usd, s.cost_basis, s.error_class, s.error_text,
       strftime('%Y-%m-%dT%H:%M:%fZ', s.asked_from / 1000.0, 'unixepoch') AS asked_from,
       strftime('%Y-%m-%dT%H:%M:%fZ', s.asked_until / 1000.0, 'unixepoch') AS asked_until,
       strftime('%Y-%m-%dT%H:%M:%fZ', s.covered_from / 1000.0, 'unixepoch') AS covered_from,
       strftime('%Y-%m-%dT%H:%M:%fZ', s.covered_until / 1000.0, 'unixepoch') AS covered_until,
       strftime('%Y-%m-%dT%H:%M:%fZ', s.clears_at / 1000.0, 'unixepoch') AS clears_at
FROM search s JOIN run r ON r.id = s.run WHERE r.seq IS NOT NULL;

CREATE VIEW v_item AS
SELECT t.topic, i.key, i.kind, i.url, i.author, i.author_name, i.title, i.text, i.lang,
       strftime('%Y-%m-%dT%H:%M:%fZ', i.published_at / 1000.0, 'unixepoch') AS published_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', t.first_seen / 1000.0, 'unixepoch') AS first_seen,
       f.public_id AS first_run,
       strftime('%Y-%m-%dT%H:%M:%fZ', t.last_seen / 1000.0, 'unixepoch') AS last_seen,
       t.times_seen, i.likes, i.reposts, i.replies, i.quotes, i.bookmarks, i.views,
       l.public_id AS last_run, i.revisions, i.is_repost, i.is_quote, i.conversation_id,
       (SELECT c.key FROM item c WHERE c.id = i.cluster) AS cluster, i.tone, i.score / 1000.0 AS score, i.scorer
FROM topic_item t JOIN item i ON i.id = t.item JOIN run f ON f.id = t.first_run JOIN run l ON l.id = t.last_run
WHERE f.seq IS NOT NULL;

CREATE VIEW v_run AS
SELECT r.seq, r.public_id AS run, r.topic, r.trigger, r.state, r.reason,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.slot / 1000.0, 'unixepoch') AS slot,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.started_at / 1000.0, 'unixepoch') AS started_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.finished_at / 1000.0, 'unixepoch') AS finished_at,
       r.found, r.new, r.duplicate, r.outside, r.undated, r.unreadable, r.cost / 1000000.0 AS cost_usd, r.error_class, r.error_text, r.attempt,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.clears_at / 1000.0, 'unixepoch') AS clears_at,
       r.thinned, strftime('%Y-%m-%dT%H:%M:%fZ', r.pruned_at / 1000.0, 'unixepoch') AS pruned_at
FROM run r WHERE r.seq IS NOT NULL;

CREATE VIEW v_erased AS
SELECT r.seq, r.public_id AS run, r.topic, r.erased, r.erased_new, r.merged_new
FROM run r WHERE r.seq IS NOT NULL AND r.erased + r.erased_new + r.merged_new > 0;
