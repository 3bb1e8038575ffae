-- The tables of topicwatch in PostgreSQL. migrations/sqlite holds the same tables, columns and rules in the same order; only types
-- differ. Times are whole milliseconds since 1970 UTC, money is whole micro-dollars, flags are 0 or 1.

-- ---- The database itself ----

-- Facts about the database itself, by name: whether it holds real or invented findings, since when it counts money, up to when it was
-- pruned, whether a copy into it is unfinished.
CREATE TABLE store_info (
    name  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    value TEXT COLLATE "C" NOT NULL
);

-- A generation is a topic set that became the one in force; `hash` is that of its definitions, in order of id.
CREATE TABLE config_generation (
    number  BIGINT NOT NULL PRIMARY KEY,
    hash    TEXT COLLATE "C" NOT NULL,
    made_at BIGINT NOT NULL
);
CREATE INDEX config_generation_hash ON config_generation (hash);

-- A process that runs what is due. It counts as alive until `alive_until`, which it keeps moving.
CREATE TABLE instance (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    role        TEXT COLLATE "C" NOT NULL,
    generation  BIGINT NOT NULL,
    started_at  BIGINT NOT NULL,
    seen_at     BIGINT NOT NULL,
    alive_until BIGINT NOT NULL
);

-- ---- The ledger: what is to run, what ran, and each call ----

-- A job is anything with a schedule: `topic:ID`, `report:NAME`, `export:NAME`, `prune`; `alert:NAME` has none. `definition` is what a
-- worker runs, whatever its own file says. `topic`, `title` and `tags` are those of a topic; other jobs have none.
CREATE TABLE job (
    id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind          TEXT COLLATE "C" NOT NULL,
    topic         TEXT COLLATE "C" UNIQUE,
    title         TEXT COLLATE "C",
    tags          TEXT COLLATE "C",
    definition    TEXT COLLATE "C" NOT NULL,
    generation    BIGINT NOT NULL,
    schedule      TEXT COLLATE "C",
    -- Slots up to here have runs.
    planned_until BIGINT,
    -- When a planner is to look again: the first slot after `planned_until`, 0 when nobody has worked it out yet, null when there is
    -- none. What is due is read by the index, however many jobs wait for later.
    next_slot     BIGINT,
    paused        BIGINT NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
    paused_at     BIGINT,
    pause_reason  TEXT COLLATE "C",
    created_at    BIGINT NOT NULL,
    removed_at    BIGINT,
    CHECK ((kind = 'topic') = (topic IS NOT NULL))
);
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
    old_id     TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    new_id     TEXT COLLATE "C" NOT NULL,
    renamed_at BIGINT NOT NULL
);

-- The ledger: one row per (job, slot), or per manual run (slot is null). `seq` is the order in which finished runs
-- became readable; readers follow it, never `id`.
CREATE TABLE run (
    id             BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    public_id      TEXT COLLATE "C" NOT NULL UNIQUE,
    job            TEXT COLLATE "C" NOT NULL,
    topic          TEXT COLLATE "C",
    slot           BIGINT,
    trigger        TEXT COLLATE "C" NOT NULL CHECK (trigger IN ('scheduled', 'catch_up', 'manual')),
    state          TEXT COLLATE "C" NOT NULL CHECK (state IN ('queued', 'running', 'ok', 'partial', 'failed', 'over_quota', 'missed', 'skipped', 'cancelled')),
    reason         TEXT COLLATE "C",
    due_at         BIGINT NOT NULL,
    attempt        BIGINT NOT NULL DEFAULT 0,
    max_attempts   BIGINT NOT NULL DEFAULT 3,
    side_by_side   BIGINT NOT NULL DEFAULT 0 CHECK (side_by_side IN (0, 1)),
    lease_until    BIGINT,
    token          TEXT COLLATE "C",
    planned_at     BIGINT NOT NULL,
    started_at     BIGINT,
    finished_at    BIGINT,
    found          BIGINT NOT NULL DEFAULT 0,
    new            BIGINT NOT NULL DEFAULT 0,
    duplicate      BIGINT NOT NULL DEFAULT 0,
    outside        BIGINT NOT NULL DEFAULT 0,
    undated        BIGINT NOT NULL DEFAULT 0,
    unreadable     BIGINT NOT NULL DEFAULT 0,
    cost           BIGINT NOT NULL DEFAULT 0,
    error_class    TEXT COLLATE "C",
    error_text     TEXT COLLATE "C",
    seq            BIGINT,
    -- For which attempt a queued run was last handed to another engine than the ledger, and when.
    handed_attempt BIGINT,
    handed_at      BIGINT,
    clears_at      BIGINT,
    -- Of a run's sightings: null while nobody looked whether they may go, 0 when the snapshot stays whole, 1 when only those
    -- are left by which its topic saw an item first or last.
    thinned        BIGINT CHECK (thinned IN (0, 1)),
    -- When its searches, its answer and what was left of its sightings went; the row stays while an item was seen in it
    -- first or last.
    pruned_at      BIGINT,
    -- What was taken away of what a run counted: sightings, and items that it was the first of its topic to see.
    erased         BIGINT NOT NULL DEFAULT 0,
    erased_new     BIGINT NOT NULL DEFAULT 0,
    -- How many items a run counted as new that turned out to be items which its topic had seen before: two became one.
    merged_new     BIGINT NOT NULL DEFAULT 0,
    UNIQUE (job, slot)
);
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
    id             BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run            BIGINT NOT NULL REFERENCES run (id),
    attempt        BIGINT NOT NULL,
    source         TEXT COLLATE "C" NOT NULL CHECK (source IN ('social', 'web', 'ai')),
    operation      TEXT COLLATE "C" NOT NULL,
    query          TEXT COLLATE "C" NOT NULL,
    state          TEXT COLLATE "C" NOT NULL CHECK (state IN ('started', 'ok', 'empty', 'error', 'over_quota', 'not_run', 'lost')),
    reason         TEXT COLLATE "C",
    http_status    BIGINT,
    tries          BIGINT NOT NULL DEFAULT 0,
    started_at     BIGINT NOT NULL,
    finished_at    BIGINT,
    latency_ms     BIGINT,
    found          BIGINT NOT NULL DEFAULT 0,
    new            BIGINT NOT NULL DEFAULT 0,
    duplicate      BIGINT NOT NULL DEFAULT 0,
    outside        BIGINT NOT NULL DEFAULT 0,
    undated        BIGINT NOT NULL DEFAULT 0,
    unreadable     BIGINT NOT NULL DEFAULT 0,
    saturated      BIGINT NOT NULL DEFAULT 0 CHECK (saturated IN (0, 1)),
    expected_cost  BIGINT NOT NULL DEFAULT 0,
    cost           BIGINT,
    cost_basis     TEXT COLLATE "C" CHECK (cost_basis IN ('billed', 'assumed', 'none')),
    error_class    TEXT COLLATE "C",
    error_text     TEXT COLLATE "C",
    topic          TEXT COLLATE "C",
    asked_from     BIGINT,
    asked_until    BIGINT,
    covered_from   BIGINT,
    covered_until  BIGINT,
    -- The day on which a search was last counted, and what it was counted at on earlier days: tries may pass midnight.
    counted_on     BIGINT,
    counted_before BIGINT NOT NULL DEFAULT 0,
    -- When there is more of what was used up.
    clears_at      BIGINT,
    -- How late the new posts of a reply were, milliseconds: of those that the search before should have shown, how long before that
    -- search they were published. Unknown where no post was new or nothing was asked before.
    late_ms        BIGINT,
    UNIQUE (run, attempt, source)
);
CREATE INDEX search_open ON search (run) WHERE state = 'started';
CREATE INDEX search_covered ON search (topic, source, covered_until) WHERE covered_until IS NOT NULL;
-- Full replies that cover nothing: each run asks how far its topic was covered.
CREATE INDEX search_in_vain ON search (topic, source, asked_until) WHERE saturated = 1 AND covered_until IS NULL;

-- What people ask for in pages and API: to run or pause a topic, to acknowledge or snooze an alert. It holds a week of requests.
-- `topic` or `alert` says what it is about, `event` which event is acknowledged, `length` how long to snooze, in milliseconds.
CREATE TABLE request (
    id       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind     TEXT COLLATE "C" NOT NULL CHECK (kind IN ('run_now', 'pause', 'resume', 'ack', 'snooze', 'unsnooze')),
    topic    TEXT COLLATE "C",
    asked_at BIGINT NOT NULL,
    state    TEXT COLLATE "C" NOT NULL CHECK (state IN ('queued', 'done', 'refused')),
    answer   TEXT COLLATE "C",
    done_at  BIGINT,
    alert    TEXT COLLATE "C",
    event    TEXT COLLATE "C",
    length   BIGINT,
    CONSTRAINT request_about_check CHECK ((topic IS NULL) <> (alert IS NULL))
);
CREATE INDEX request_open ON request (asked_at, id) WHERE state = 'queued';
CREATE INDEX request_topic ON request (topic, asked_at);
CREATE INDEX request_alert ON request (asked_at, id) WHERE alert IS NOT NULL;

-- ---- Limits and money ----

-- Calls made per UTC day over all processes, counted before each call.
CREATE TABLE calls (
    day   BIGINT NOT NULL PRIMARY KEY,
    made  BIGINT NOT NULL,
    -- What the day's calls cost, or may cost while that is not known; null while nobody has a budget of money.
    spent BIGINT
);

-- The same for topics that have a limit of their own.
CREATE TABLE topic_calls (
    topic TEXT COLLATE "C" NOT NULL,
    day   BIGINT NOT NULL,
    made  BIGINT NOT NULL,
    spent BIGINT NOT NULL,
    PRIMARY KEY (topic, day)
);

-- When the bucket of starts is full again, in microseconds: rates are finer than the milliseconds of other times.
CREATE TABLE service_limit (
    service    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    full_at_us BIGINT NOT NULL
);

-- How many calls a process may have in flight until `lease_until`; `most` and `period_us` are the limits in its own file.
CREATE TABLE service_lease (
    service     TEXT COLLATE "C" NOT NULL,
    holder      TEXT COLLATE "C" NOT NULL,
    permits     BIGINT NOT NULL CHECK (permits >= 0),
    wanted      BIGINT NOT NULL CHECK (wanted >= 0),
    most        BIGINT NOT NULL CHECK (most >= 1),
    period_us   BIGINT NOT NULL CHECK (period_us >= 0),
    lease_until BIGINT NOT NULL,
    PRIMARY KEY (service, holder)
);

-- ---- What was found ----

-- A post or page, once, whichever topic, run or source found it. `key` never changes.
CREATE TABLE item (
    id              BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key             TEXT COLLATE "C" NOT NULL UNIQUE,
    kind            TEXT COLLATE "C" NOT NULL CHECK (kind IN ('post', 'page')),
    strong          BIGINT NOT NULL CHECK (strong IN (0, 1)),
    post_id         TEXT COLLATE "C",
    url             TEXT COLLATE "C",
    author          TEXT COLLATE "C",
    author_name     TEXT COLLATE "C",
    title           TEXT COLLATE "C",
    text            TEXT COLLATE "C",
    lang            TEXT COLLATE "C",
    published_at    BIGINT,
    first_seen      BIGINT NOT NULL,
    last_seen       BIGINT NOT NULL,
    is_repost       BIGINT CHECK (is_repost IN (0, 1)),
    is_quote        BIGINT CHECK (is_quote IN (0, 1)),
    conversation_id TEXT COLLATE "C",
    likes           BIGINT,
    reposts         BIGINT,
    replies         BIGINT,
    quotes          BIGINT,
    bookmarks       BIGINT,
    views           BIGINT,
    revisions       BIGINT NOT NULL DEFAULT 0,
    fingerprint     BYTEA,
    cluster         BIGINT,
    tone            TEXT COLLATE "C",
    score           BIGINT,
    scorer          TEXT COLLATE "C",
    -- When an item's words went; null again when it was seen once more.
    pruned_at       BIGINT,
    past            BIGINT NOT NULL DEFAULT 0
);
-- Finds the copies of an item: only items that are not the first of their cluster.
CREATE INDEX item_copies ON item (cluster) WHERE cluster <> id;
-- By a value that never changes, so that seeing an item again costs nothing here.
CREATE INDEX item_worded ON item (first_seen, id) WHERE pruned_at IS NULL;

-- Several keys may name one item: a new rule, or a post id seen later, joins it without losing `first_seen`.
CREATE TABLE item_key (
    key     TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    item    BIGINT NOT NULL REFERENCES item (id)
);
CREATE INDEX item_key_item ON item_key (item);

-- What an item's title and text were until `replaced_at`.
CREATE TABLE item_revision (
    item        BIGINT NOT NULL REFERENCES item (id),
    run         BIGINT NOT NULL REFERENCES run (id),
    replaced_at BIGINT NOT NULL,
    title       TEXT COLLATE "C",
    text        TEXT COLLATE "C",
    PRIMARY KEY (item, run)
);
-- Finds the edits of a span.
CREATE INDEX item_revision_at ON item_revision (replaced_at);
CREATE INDEX item_revision_run ON item_revision (run);

-- What an item looked like before a run changed it, so that exports of earlier runs show it as it was then.
-- `item.past` counts these rows, since nearly no item has one.
CREATE TABLE item_past (
    id           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item         BIGINT NOT NULL REFERENCES item (id),
    run          BIGINT NOT NULL REFERENCES run (id),
    url          TEXT COLLATE "C",
    author       TEXT COLLATE "C",
    author_name  TEXT COLLATE "C",
    title        TEXT COLLATE "C",
    text         TEXT COLLATE "C",
    lang         TEXT COLLATE "C",
    published_at BIGINT
);
CREATE INDEX item_past_of ON item_past (item, id);
CREATE INDEX item_past_run ON item_past (run);

-- "Run R saw item I at rank K in source S", with the reactions of that moment.
CREATE TABLE sighting (
    run       BIGINT NOT NULL REFERENCES run (id),
    item      BIGINT NOT NULL REFERENCES item (id),
    source    TEXT COLLATE "C" NOT NULL CHECK (source IN ('social', 'web', 'ai')),
    rank      BIGINT NOT NULL,
    fit       TEXT COLLATE "C" NOT NULL CHECK (fit IN ('in', 'outside', 'undated')),
    likes     BIGINT,
    reposts   BIGINT,
    replies   BIGINT,
    quotes    BIGINT,
    bookmarks BIGINT,
    views     BIGINT,
    PRIMARY KEY (run, item, source)
);
CREATE INDEX sighting_item ON sighting (item);

-- Which topic knows which item: when and in which run it saw it first and last. No key leads to `run`: runs are pruned, these stay.
CREATE TABLE topic_item (
    topic      TEXT COLLATE "C" NOT NULL,
    item       BIGINT NOT NULL REFERENCES item (id),
    first_seen BIGINT NOT NULL,
    first_run  BIGINT NOT NULL,
    last_seen  BIGINT NOT NULL,
    last_run   BIGINT NOT NULL,
    times_seen BIGINT NOT NULL,
    PRIMARY KEY (topic, item)
);
CREATE INDEX topic_item_new ON topic_item (topic, first_seen);
CREATE INDEX topic_item_first ON topic_item (first_seen);
CREATE INDEX topic_item_item ON topic_item (item);

-- The answer of an AI search, and the keys of the items it cites.
CREATE TABLE answer (
    run     BIGINT NOT NULL PRIMARY KEY REFERENCES run (id),
    text    TEXT COLLATE "C" NOT NULL,
    model   TEXT COLLATE "C",
    partial BIGINT NOT NULL CHECK (partial IN (0, 1)),
    cited   TEXT COLLATE "C" NOT NULL
);

-- The reply as it came, compressed with gzip and bounded, so that it can be read again by a better decoder.
CREATE TABLE raw_reply (
    search      BIGINT NOT NULL PRIMARY KEY REFERENCES search (id),
    request     TEXT COLLATE "C" NOT NULL,
    dialect     TEXT COLLATE "C" NOT NULL,
    headers     TEXT COLLATE "C" NOT NULL,
    received_at BIGINT NOT NULL,
    bytes       BIGINT NOT NULL,
    truncated   BIGINT NOT NULL CHECK (truncated IN (0, 1)),
    body        BYTEA NOT NULL
);
CREATE INDEX raw_reply_at ON raw_reply (received_at, search);

-- ---- Followers of the runs ----

-- Followers read the runs in the order of `seq`: the number of the last run that each has read, and the instant up to which it told of
-- them. Reports, exports and alerts have the names of their jobs and move after delivery only; `near-copies`, `days` and
-- `counters` derive what is read often. `caught_up` says whether a follower had read all there was at some time.
CREATE TABLE follower (
    name      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    seq       BIGINT NOT NULL,
    at        BIGINT NOT NULL DEFAULT 0,
    caught_up BIGINT NOT NULL DEFAULT 0 CHECK (caught_up IN (0, 1))
);
INSERT INTO follower (name, seq) VALUES ('near-copies', 0), ('days', 0), ('counters', 0);

-- ---- Near-copies ----

-- The first item of each cluster, by its place in the order in which they began, and what its text consisted of then.
-- Two places lead to one item when two first items turned out to be one.
CREATE TABLE cluster_head (
    place  BIGINT NOT NULL PRIMARY KEY,
    item   BIGINT NOT NULL REFERENCES item (id),
    sketch BYTEA NOT NULL,
    -- The keys under which the first item of a cluster is found, eight bytes each, beside it: whoever forgets it deletes them
    -- without reading every key. `item.fingerprint` is from now on the key of
    -- a copy that says it in words of its own; keys of copies from before stand with their first item.
    keys   BYTEA NOT NULL DEFAULT ''
);
CREATE INDEX cluster_head_item ON cluster_head (item);

-- The keys under which near-copies find it.
CREATE TABLE cluster_lead (
    key   BIGINT NOT NULL,
    place BIGINT NOT NULL,
    PRIMARY KEY (key, place)
);

CREATE TABLE cluster_lead_middle (
    key   BIGINT NOT NULL,
    place BIGINT NOT NULL,
    PRIMARY KEY (key, place)
);

-- Keys of near-copies by age. In one large index each new key would touch a page of its own. So new keys go into a small table; when
-- it is full they move on in order of key, many to a page. Each key is in exactly one of the three tables.
CREATE TABLE cluster_lead_young (
    key   BIGINT NOT NULL,
    place BIGINT NOT NULL,
    PRIMARY KEY (key, place)
);

-- The state of near-copies: the place of the next cluster, a number that changes with everything that is written, how many keys lie in the
-- small tables, and which of these is moving on (-1: none).
CREATE TABLE cluster_state (
    one     BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    next    BIGINT NOT NULL,
    turn    BIGINT NOT NULL,
    young   BIGINT NOT NULL DEFAULT 0,
    middle  BIGINT NOT NULL DEFAULT 0,
    sinking BIGINT NOT NULL DEFAULT -1
);
INSERT INTO cluster_state (one, next, turn) VALUES (1, 1, 0);

-- ---- Text search ----

-- The text index: the tokens of an item's words, made by the program (`normalise::words`), so that both databases
-- find the same. A row holds tokens and their places, no text, and is cast from them without any dictionary.
CREATE TABLE item_words (
    item  BIGINT NOT NULL PRIMARY KEY,
    words TSVECTOR NOT NULL
);
CREATE INDEX item_words_token ON item_words USING gin (words);

-- Items whose words are new, or others than before, and not indexed yet.
CREATE TABLE item_words_due (
    item BIGINT NOT NULL PRIMARY KEY
);

-- The version of the rules by which items were indexed, or will be; no row before anything was. Like the index it stays
-- behind when a database is moved, so that the copy is indexed anew.
CREATE TABLE item_words_rules (
    version BIGINT NOT NULL PRIMARY KEY
);

-- ---- Days and counters ----

-- What each topic found on each of its local days, counted beside the loop, so that pages need not. A day is told by its instants, since what a local day is, the program knows. An item
-- counts on the day it was published, else when it was first seen. No row: nothing was found that day.
CREATE TABLE topic_day (
    topic        TEXT COLLATE "C" NOT NULL,
    day_from     BIGINT NOT NULL,
    day_until    BIGINT NOT NULL,
    items        BIGINT NOT NULL,
    unique_items BIGINT NOT NULL,
    negative     BIGINT NOT NULL,
    neutral      BIGINT NOT NULL,
    positive     BIGINT NOT NULL,
    -- Between which scorers, in the order of their names, those lie that judged the tones of a day: two that differ say that its
    -- shares are of several. Days are counted anew.
    scorer_from  TEXT,
    scorer_to    TEXT,
    PRIMARY KEY (topic, day_from)
);

-- Topics whose days are to be counted anew; `turn` rises when one is named again meanwhile.
CREATE TABLE topic_day_due (
    topic TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    turn  BIGINT NOT NULL
);

-- Sums, which never fall: `labels` are the values of what `name` is divided by, `bound` is the bucket of a histogram
-- (milliseconds, 0 above all), and 0 otherwise.
CREATE TABLE tally (
    name   TEXT COLLATE "C" NOT NULL,
    labels TEXT COLLATE "C" NOT NULL,
    bound  BIGINT NOT NULL,
    value  BIGINT NOT NULL,
    PRIMARY KEY (name, labels, bound)
);

-- When each source of a topic last answered, and last brought something new.
CREATE TABLE topic_latest (
    topic       TEXT COLLATE "C" NOT NULL,
    source      TEXT COLLATE "C" NOT NULL,
    answered_at BIGINT NOT NULL,
    new_at      BIGINT,
    PRIMARY KEY (topic, source)
);

-- ---- Reports, exports, alerts and their delivery ----

-- A report that was made, `name` being that of its job and its cursor: written in the transaction that ends its run and queues what is to be delivered of it.
CREATE TABLE report (
    run          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name         TEXT COLLATE "C" NOT NULL,
    made_at      BIGINT NOT NULL,
    span_from    BIGINT NOT NULL,
    span_until   BIGINT NOT NULL,
    seq          BIGINT NOT NULL,
    subject      TEXT COLLATE "C" NOT NULL,
    files        TEXT COLLATE "C" NOT NULL,
    delivered_at BIGINT
);
CREATE INDEX report_name ON report (name, made_at);

-- What an export of the configuration wrote, or is writing: an edition. Its stretch of the reading order and its definition
-- are fixed before its first byte, so that whoever takes over after a kill puts the same rows into files of the same names.
-- `export` is the name of its job and its cursor; a run begins one edition at most; `files` is null until all are in place.
CREATE TABLE export_edition (
    export     TEXT COLLATE "C" NOT NULL,
    number     BIGINT NOT NULL,
    run        TEXT COLLATE "C" NOT NULL,
    at         BIGINT NOT NULL,
    seq_since  BIGINT NOT NULL,
    seq_until  BIGINT NOT NULL,
    definition TEXT COLLATE "C" NOT NULL,
    files      TEXT COLLATE "C",
    written    BIGINT,
    done_at    BIGINT,
    PRIMARY KEY (export, number),
    UNIQUE (export, run)
);

-- `event` is made of alert, run (or day) and subject, so that what is looked at twice is told once. `message` is what told of
-- it; while both it and `muted` are null it waits for its turn.
CREATE TABLE alert_event (
    event    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    alert    TEXT COLLATE "C" NOT NULL,
    subject  TEXT COLLATE "C" NOT NULL,
    kind     TEXT COLLATE "C" NOT NULL CHECK (kind IN ('fired', 'recovered')),
    at       BIGINT NOT NULL,
    summary  TEXT COLLATE "C" NOT NULL,
    lines    TEXT COLLATE "C" NOT NULL,
    message  TEXT COLLATE "C",
    muted    TEXT COLLATE "C",
    acked_at BIGINT
);
CREATE INDEX alert_event_at ON alert_event (at, event);
CREATE INDEX alert_event_waiting ON alert_event (alert, at, event) WHERE message IS NULL AND muted IS NULL;
-- An alert's own history, and what fires for a topic.
CREATE INDEX alert_event_of ON alert_event (alert, at, event);

-- What fires now, for which subject, and whether somebody acknowledged it.
CREATE TABLE alert_firing (
    alert   TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    since   BIGINT NOT NULL,
    acked   BIGINT NOT NULL DEFAULT 0 CHECK (acked IN (0, 1)),
    PRIMARY KEY (alert, subject)
);
CREATE INDEX alert_firing_subject ON alert_firing (subject);

-- When an alert last sent something, and until when it is snoozed.
CREATE TABLE alert_state (
    alert         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    sent_at       BIGINT,
    snoozed_until BIGINT
);

-- What is to be sent: each event to one channel, until it is sent or dead. `event` is the same at every try, so that
-- whoever receives it twice can tell. `origin` is the run it came of.
CREATE TABLE outbox (
    event        TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    channel      TEXT COLLATE "C" NOT NULL,
    kind         TEXT COLLATE "C" NOT NULL,
    origin       TEXT COLLATE "C",
    subject      TEXT COLLATE "C" NOT NULL,
    text         TEXT COLLATE "C" NOT NULL,
    html         TEXT COLLATE "C",
    data         TEXT COLLATE "C",
    state        TEXT COLLATE "C" NOT NULL CHECK (state IN ('queued', 'sending', 'sent', 'dead')),
    attempt      BIGINT NOT NULL DEFAULT 0,
    created_at   BIGINT NOT NULL,
    next_at      BIGINT NOT NULL,
    lease_until  BIGINT,
    token        TEXT COLLATE "C",
    error        TEXT COLLATE "C",
    delivered_at BIGINT
);
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
    day   BIGINT NOT NULL,
    runs  BIGINT NOT NULL,
    calls BIGINT NOT NULL,
    cost  BIGINT NOT NULL,
    PRIMARY KEY (topic, day)
);

-- What was forgotten on request. A tombstone is a keyed hash (the key is
-- `forget_key` in store_info), so that what must not come back is known again and not told. `done` is 0 until everything
-- that it names is gone; `since` is when the first of that was seen, so that files made since can be named.
CREATE TABLE forgotten (
    hash  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind  TEXT COLLATE "C" NOT NULL CHECK (kind IN ('author', 'item', 'topic')),
    at    BIGINT NOT NULL,
    done  BIGINT NOT NULL CHECK (done IN (0, 1)),
    since BIGINT
);
CREATE INDEX forgotten_open ON forgotten (kind) WHERE done = 0;

-- ---- Views for SQL and BI tools (docs: the reference of SQL views) ----

-- Public ids instead of database ids, times as ISO 8601 text, money in dollars. Columns are only ever added. They show finished,
-- numbered runs only.

CREATE VIEW v_run AS
SELECT r.seq, r.public_id AS run, r.topic, r.trigger, r.state, r.reason,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.slot * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS slot,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.started_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS started_at,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.finished_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS finished_at,
       r.found, r.new, r.duplicate, r.outside, r.undated, r.unreadable, r.cost / 1000000.0 AS cost_usd, r.error_class, r.error_text, r.attempt,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.clears_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS clears_at,
       r.thinned, to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.pruned_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS pruned_at
FROM run r WHERE r.seq IS NOT NULL;

CREATE VIEW v_search AS
SELECT r.seq, r.public_id AS run, r.topic, s.attempt, s.source, s.operation, s.query, s.state, s.reason, s.http_status, s.tries,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.started_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS started_at,
       s.latency_ms, s.found, s.new, s.duplicate, s.outside, s.undated, s.unreadable, s.saturated,
       s.expected_cost / 1000000.0 AS expected_cost_usd, s.cost / 1000000.0 AS cost_usd, s.cost_basis, s.error_class, s.error_text,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.asked_from * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS asked_from,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.asked_until * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS asked_until,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.covered_from * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS covered_from,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.covered_until * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS covered_until,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.clears_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS clears_at
FROM search s JOIN run r ON r.id = s.run WHERE r.seq IS NOT NULL;

CREATE VIEW v_sighting AS
SELECT r.seq, r.public_id AS run, r.topic,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.started_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS seen_at,
       s.source, s.rank, i.key, s.fit, s.likes, s.reposts, s.replies, s.quotes, s.bookmarks, s.views
FROM sighting s JOIN run r ON r.id = s.run JOIN item i ON i.id = s.item WHERE r.seq IS NOT NULL;

CREATE VIEW v_answer AS
SELECT r.seq, r.public_id AS run, r.topic,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.started_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS asked_at,
       a.model, a.text, a.partial, a.cited
FROM answer a JOIN run r ON r.id = a.run WHERE r.seq IS NOT NULL;

CREATE VIEW v_item AS
SELECT t.topic, i.key, i.kind, i.url, i.author, i.author_name, i.title, i.text, i.lang,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + i.published_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS published_at,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + t.first_seen * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS first_seen,
       f.public_id AS first_run,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + t.last_seen * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS last_seen,
       t.times_seen, i.likes, i.reposts, i.replies, i.quotes, i.bookmarks, i.views,
       l.public_id AS last_run, i.revisions, i.is_repost, i.is_quote, i.conversation_id,
       (SELECT c.key FROM item c WHERE c.id = i.cluster) AS cluster, i.tone, i.score / 1000.0 AS score, i.scorer
FROM topic_item t JOIN item i ON i.id = t.item JOIN run f ON f.id = t.first_run JOIN run l ON l.id = t.last_run
WHERE f.seq IS NOT NULL;

CREATE VIEW v_erased AS
SELECT r.seq, r.public_id AS run, r.topic, r.erased, r.erased_new, r.merged_new
FROM run r WHERE r.seq IS NOT NULL AND r.erased + r.erased_new + r.merged_new > 0;
