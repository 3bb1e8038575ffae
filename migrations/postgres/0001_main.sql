-- The tables of topicwatch in PostgreSQL. migrations/sqlite holds the same tables, columns and rules in the same order; only types,
-- the text index and functions of time differ. Times are whole milliseconds since 1970 UTC, money is whole micro-dollars, flags are 0 or 1.

-- ---- The database itself ----

-- Facts about the database, by name: whether its findings are real or invented, since when it counts money, up to when it was
-- pruned, whether a copy into it is unfinished.
CREATE TABLE store_info (
    name  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    value TEXT COLLATE "C" NOT NULL
);

-- A generation is a set of topics that was put into force. `hash` covers their definitions, in order of id.
CREATE TABLE config_generation (
    number  BIGINT NOT NULL PRIMARY KEY,
    hash    TEXT COLLATE "C" NOT NULL,
    made_at BIGINT NOT NULL
);
CREATE INDEX config_generation_hash ON config_generation (hash);

-- A process that runs what is due. It counts as alive until `alive_until`, which its heartbeat moves.
CREATE TABLE instance (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    role        TEXT COLLATE "C" NOT NULL,
    generation  BIGINT NOT NULL,
    started_at  BIGINT NOT NULL,
    seen_at     BIGINT NOT NULL,
    alive_until BIGINT NOT NULL
);

-- ---- The ledger: what is to run, what ran, and each call ----

-- A job is anything with a schedule: `topic:ID`, `report:NAME`, `export:NAME`, `prune`. `alert:NAME` is a job without one. A worker
-- runs `definition`, whatever its own file says. Only topics have `topic`, `title` and `tags`.
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
    -- The first slot after `planned_until`; 0 if it was not computed yet, null if there is none. An index finds what is due,
    -- however many jobs wait for later.
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

-- Former ids of renamed topics. A file that still has the old id must not begin a second history.
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
    -- For which attempt a queued run was last given to the other engine (graphile), and when.
    handed_attempt BIGINT,
    handed_at      BIGINT,
    -- When the limit that stopped a run allows calls again.
    clears_at      BIGINT,
    -- A run's sightings: null before retention has checked them, 0 if all are kept, 1 if only those are left by which its topic
    -- saw an item first or last.
    thinned        BIGINT CHECK (thinned IN (0, 1)),
    -- When its searches, its answer and the rest of its sightings were deleted. The row stays while an item was seen in it first
    -- or last.
    pruned_at      BIGINT,
    -- What erasure took from the run's counts: sightings, and items that it was the first of its topic to see.
    erased         BIGINT NOT NULL DEFAULT 0,
    erased_new     BIGINT NOT NULL DEFAULT 0,
    -- Items the run counted as new that its topic had already seen: two items were merged into one.
    merged_new     BIGINT NOT NULL DEFAULT 0,
    UNIQUE (job, slot)
);
CREATE INDEX run_due ON run (due_at, id) WHERE state = 'queued';
CREATE INDEX run_lease ON run (lease_until) WHERE state = 'running';
-- Runs that have a number. The next index finds those that wait for one.
CREATE UNIQUE INDEX run_seq ON run (seq) WHERE seq IS NOT NULL;
CREATE INDEX run_unnumbered ON run (finished_at, public_id) WHERE seq IS NULL AND finished_at IS NOT NULL;
CREATE INDEX run_topic ON run (topic, seq);
CREATE INDEX run_at ON run (coalesce(started_at, slot, planned_at), public_id);
CREATE INDEX run_active ON run (job) WHERE state IN ('queued', 'running');
-- Manual runs, read every second.
CREATE INDEX run_asked ON run (id) WHERE state = 'queued' AND trigger = 'manual';
-- Runs that found something new; near-copies read on from their place in it.
CREATE INDEX run_brought ON run (seq) WHERE seq IS NOT NULL AND new > 0;
-- Queued runs of jobs that are not topics; `run_due` finds those of topics.
CREATE INDEX run_job_due ON run (due_at, id) WHERE state = 'queued' AND topic IS NULL;
CREATE INDEX run_whole ON run ((started_at / 86400000), topic, seq) WHERE thinned IS NULL AND found > 0 AND seq IS NOT NULL;
CREATE INDEX run_full ON run ((coalesce(started_at, slot, planned_at)), id) WHERE pruned_at IS NULL;
-- Runs that did not succeed, by time: few among many. The indexes above find the others.
CREATE INDEX run_unwell ON run (state, coalesce(started_at, slot, planned_at), public_id)
WHERE state NOT IN ('ok', 'queued', 'running');
-- Runs that were begun again, by time: few among many. Their calls may be of a day long before their last start.
CREATE INDEX run_again ON run (coalesce(started_at, slot, planned_at), public_id) WHERE attempt > 1;
-- A topic's runs by time, for its page.
CREATE INDEX run_topic_at ON run (topic, coalesce(started_at, slot, planned_at), public_id);
-- A topic's runs that found something new, by time: few among many if it is searched every minute.
CREATE INDEX run_topic_new ON run (topic, coalesce(started_at, slot, planned_at)) WHERE seq IS NOT NULL AND new > 0;
-- Runs that were started, without missed and skipped slots. After months in which nothing ran, a topic has thousands of those
-- slots, and finding its last run, or an earlier answer to its query, must not read them all.
CREATE INDEX run_started ON run (topic, seq) WHERE started_at IS NOT NULL;

-- The search of one source in one attempt of a run. It is committed as 'started' before money can be spent. `source` is `social`,
-- `web` or `ai` of the search service, or the name of a provider.
CREATE TABLE search (
    id             BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run            BIGINT NOT NULL REFERENCES run (id),
    attempt        BIGINT NOT NULL,
    source         TEXT COLLATE "C" NOT NULL,
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
    -- The day on which its calls were last counted, and the cost counted on earlier days: tries may pass midnight.
    counted_on     BIGINT,
    counted_before BIGINT NOT NULL DEFAULT 0,
    -- When the limit that stopped it allows calls again.
    clears_at      BIGINT,
    -- How late the new posts of a reply were, in milliseconds: how long before the previous search those were published that it
    -- should have shown. Null if no post was new or there was no previous search.
    late_ms        BIGINT,
    UNIQUE (run, attempt, source)
);
CREATE INDEX search_open ON search (run) WHERE state = 'started';
CREATE INDEX search_covered ON search (topic, source, covered_until) WHERE covered_until IS NOT NULL;
-- Full replies that cover nothing: each run asks how far its topic was covered.
CREATE INDEX search_in_vain ON search (topic, source, asked_until) WHERE saturated = 1 AND covered_until IS NULL;
-- A topic's full replies by time: mostly few among many.
CREATE INDEX search_full ON search (topic, started_at) WHERE saturated = 1;
-- Searches that called and whose cost no bill confirms, by the day on which they were counted: pages say how much of a day's cost
-- is assumed.
CREATE INDEX search_unbilled ON search (coalesce(counted_on, started_at / 86400000))
WHERE tries > 0 AND (cost_basis = 'assumed' OR cost IS NULL);

-- Requests from pages and API: run or pause a topic, acknowledge or snooze an alert. They are kept for a week. A request has
-- either `topic` or `alert`. `event` is the event to acknowledge, `length` how long to snooze, in milliseconds.
CREATE TABLE request (
    id       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind     TEXT COLLATE "C" NOT NULL CHECK (kind IN ('run_now', 'pause', 'resume', 'ack', 'snooze', 'unsnooze')),
    topic    TEXT COLLATE "C",
    alert    TEXT COLLATE "C",
    event    TEXT COLLATE "C",
    length   BIGINT,
    asked_at BIGINT NOT NULL,
    state    TEXT COLLATE "C" NOT NULL CHECK (state IN ('queued', 'done', 'refused')),
    answer   TEXT COLLATE "C",
    done_at  BIGINT,
    CHECK ((topic IS NULL) <> (alert IS NULL))
);
CREATE INDEX request_open ON request (asked_at, id) WHERE state = 'queued';
CREATE INDEX request_topic ON request (topic, asked_at);
CREATE INDEX request_alert ON request (asked_at, id) WHERE alert IS NOT NULL;

-- ---- Limits and money ----

-- Calls of all processes per UTC day, counted before each call. `provider` is its name, or 'service' for the search service.
CREATE TABLE calls (
    provider TEXT COLLATE "C" NOT NULL,
    day      BIGINT NOT NULL,
    made     BIGINT NOT NULL,
    -- What the day's calls cost, or may cost while that is unknown; null if no budget of money is configured.
    spent    BIGINT,
    PRIMARY KEY (provider, day)
);

-- The same for topics with a limit of their own.
CREATE TABLE topic_calls (
    topic TEXT COLLATE "C" NOT NULL,
    day   BIGINT NOT NULL,
    made  BIGINT NOT NULL,
    spent BIGINT NOT NULL,
    PRIMARY KEY (topic, day)
);

-- The shared rate limit, a token bucket: when it is full again, in microseconds, because rates are finer than milliseconds.
CREATE TABLE service_limit (
    service    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    full_at_us BIGINT NOT NULL
);

-- How many calls a process may have in flight until `lease_until`. `most` and `period_us` are the limits in its own file.
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

-- What a provider's search keeps for the topic's next one, such as a feed's ETag. `value` is JSON; each kind of provider has its
-- own.
CREATE TABLE provider_memory (
    topic  TEXT COLLATE "C" NOT NULL,
    source TEXT COLLATE "C" NOT NULL,
    name   TEXT COLLATE "C" NOT NULL,
    value  TEXT COLLATE "C" NOT NULL,
    at     BIGINT NOT NULL,
    PRIMARY KEY (topic, source, name)
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
    -- When an item's words were pruned; null again once it is seen again.
    pruned_at       BIGINT,
    past            BIGINT NOT NULL DEFAULT 0
);
-- The copies of an item: items that are not the first of their cluster.
CREATE INDEX item_copies ON item (cluster) WHERE cluster <> id;
-- Ordered by a value that never changes, so that seeing an item again does not write to this index.
CREATE INDEX item_worded ON item (first_seen, id) WHERE pruned_at IS NULL;
-- Items by address, without nearly all: those of pages, and of posts on X whose address holds their id, are found by their keys. A hash,
-- because an address may be longer than a key of a B-tree.
CREATE INDEX item_address ON item USING hash (url) WHERE NOT (substr(key, 1, 5) = 'page:' AND replace(key, '#', '') = key)
AND url <> 'https://x.com/' || coalesce(author, '') || '/status/' || coalesce(post_id, '');

-- All keys of an item. A key by a new rule, or a post id seen later, leads to the same item, so it keeps `first_seen`.
CREATE TABLE item_key (
    key     TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    item    BIGINT NOT NULL REFERENCES item (id)
);
CREATE INDEX item_key_item ON item_key (item);

-- Title and text of an item until `replaced_at`, when an edit was seen.
CREATE TABLE item_revision (
    item        BIGINT NOT NULL REFERENCES item (id),
    run         BIGINT NOT NULL REFERENCES run (id),
    replaced_at BIGINT NOT NULL,
    title       TEXT COLLATE "C",
    text        TEXT COLLATE "C",
    PRIMARY KEY (item, run)
);
-- The edits of a span of time.
CREATE INDEX item_revision_at ON item_revision (replaced_at);
CREATE INDEX item_revision_run ON item_revision (run);

-- An item before a run changed it, so that exports of earlier runs show it as it was then. `item.past` counts these rows: nearly
-- no item has one.
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

-- A sighting: run R saw item I at rank K in source S, with the reactions it had then.
CREATE TABLE sighting (
    run       BIGINT NOT NULL REFERENCES run (id),
    item      BIGINT NOT NULL REFERENCES item (id),
    source    TEXT COLLATE "C" NOT NULL,
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

-- The items of each topic: when and in which run it saw them first and last. No foreign key to `run`: runs are pruned, these
-- rows stay.
CREATE TABLE topic_item (
    topic          TEXT COLLATE "C" NOT NULL,
    item           BIGINT NOT NULL REFERENCES item (id),
    first_seen     BIGINT NOT NULL,
    first_run      BIGINT NOT NULL,
    last_seen      BIGINT NOT NULL,
    last_run       BIGINT NOT NULL,
    times_seen     BIGINT NOT NULL,
    -- Kept of the first sighting once the searches of its run are pruned: how the item fitted the window (1: in it, 2: outside,
    -- 3: undated), and whether it was part of a baseline. Null before that.
    first_fit      BIGINT CHECK (first_fit IN (1, 2, 3)),
    first_baseline BIGINT CHECK (first_baseline IN (0, 1)),
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

-- The reply as received, compressed with gzip and of limited size, so that a better decoder can read it again.
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

-- ---- What people keep ----

-- Marks: an item is good or noise for a topic. `through` is where the mark was made.
CREATE TABLE item_mark (
    topic     TEXT COLLATE "C" NOT NULL,
    item      BIGINT NOT NULL REFERENCES item (id),
    mark      TEXT COLLATE "C" NOT NULL CHECK (mark IN ('good', 'noise')),
    at        BIGINT NOT NULL,
    through   TEXT COLLATE "C" NOT NULL CHECK (through IN ('cli', 'page', 'api')),
    -- Whether topicwatch suggested the item (1). It suggests by words, people choose by what they see, so the share of noise is
    -- estimated differently from each kind.
    suggested BIGINT NOT NULL DEFAULT 0 CHECK (suggested IN (0, 1)),
    PRIMARY KEY (topic, item)
);
CREATE INDEX item_mark_item ON item_mark (item);
CREATE INDEX item_mark_at ON item_mark (topic, at);

-- Stars. Like a note, a star belongs to the item, whichever topic shows it.
CREATE TABLE item_star (
    item BIGINT PRIMARY KEY REFERENCES item (id),
    at   BIGINT NOT NULL
);

-- Notes.
CREATE TABLE item_note (
    item BIGINT PRIMARY KEY REFERENCES item (id),
    note TEXT COLLATE "C" NOT NULL,
    at   BIGINT NOT NULL
);

-- Searches by name. `filters` is a JSON object of the parameters of /items. The topic is a column, because topics are renamed.
CREATE TABLE saved_search (
    name    TEXT COLLATE "C" PRIMARY KEY,
    topic   TEXT COLLATE "C",
    filters TEXT COLLATE "C" NOT NULL,
    made_at BIGINT NOT NULL
);

-- ---- Who may see the pages ----

-- Named tokens for pages and API. `hash` is the SHA-256 of the secret, which is stored nowhere. `topics` and `tags` are JSON lists
-- of what the token may see; both null: everything. The row stays when the token is withdrawn.
CREATE TABLE access_token (
    name         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    role         TEXT COLLATE "C" NOT NULL CHECK (role IN ('read', 'act', 'edit')),
    topics       TEXT COLLATE "C",
    tags         TEXT COLLATE "C",
    hash         TEXT COLLATE "C" NOT NULL UNIQUE,
    made_at      BIGINT NOT NULL,
    withdrawn_at BIGINT,
    last_used_at BIGINT
);

-- Links that show one thing to everyone who has them, until they expire: a topic (`target` is its id) or a report (the id of the
-- run that made it).
CREATE TABLE share_link (
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind         TEXT COLLATE "C" NOT NULL CHECK (kind IN ('topic', 'report')),
    target       TEXT COLLATE "C" NOT NULL,
    hash         TEXT COLLATE "C" NOT NULL UNIQUE,
    made_at      BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    withdrawn_at BIGINT
);

-- ---- Followers of the runs ----

-- Followers read the runs in the order of `seq`: the last run that each has read, and the instant up to which it reported.
-- Reports, exports and alerts have the names of their jobs and move only after delivery; `near-copies`, `days`, `counters` and
-- `terms` compute what is read often. `caught_up` is 1 once a follower has read all runs there were.
CREATE TABLE follower (
    name      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    seq       BIGINT NOT NULL,
    at        BIGINT NOT NULL DEFAULT 0,
    caught_up BIGINT NOT NULL DEFAULT 0 CHECK (caught_up IN (0, 1))
);
INSERT INTO follower (name, seq) VALUES ('near-copies', 0), ('days', 0), ('counters', 0), ('terms', 0);

-- ---- Near-copies ----

-- The first item of each cluster, by place (the order in which clusters began), with a sketch of its text at that time. Two places
-- have the same item if two first items were merged.
CREATE TABLE cluster_head (
    place  BIGINT NOT NULL PRIMARY KEY,
    item   BIGINT NOT NULL REFERENCES item (id),
    sketch BYTEA NOT NULL,
    -- The keys that lead to it, eight bytes each, so that forgetting it deletes them without reading every key.
    -- `item.fingerprint` is the key of a copy whose wording differs.
    keys   BYTEA NOT NULL DEFAULT ''
);
CREATE INDEX cluster_head_item ON cluster_head (item);

-- The keys by which near-copies find the first item.
CREATE TABLE cluster_lead (
    key   BIGINT NOT NULL,
    place BIGINT NOT NULL,
    PRIMARY KEY (key, place)
);

-- Keys of medium age (see the next table).
CREATE TABLE cluster_lead_middle (
    key   BIGINT NOT NULL,
    place BIGINT NOT NULL,
    PRIMARY KEY (key, place)
);

-- New keys. In one large index each new key would write a page of its own. So new keys go into a small table; when it is full they
-- move on in order of key, many to a page. Each key is in exactly one of the three tables.
CREATE TABLE cluster_lead_young (
    key   BIGINT NOT NULL,
    place BIGINT NOT NULL,
    PRIMARY KEY (key, place)
);

-- The state of near-copies: the place of the next cluster, a number that changes with each write, how many keys the small tables
-- have, and which of these is moving on (-1: none).
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

-- The text index: the tokens of an item's words, made by the program (`normalise::words`), so that both databases find the same.
-- It holds tokens and their positions, no text. They are cast to the type without any dictionary.
CREATE TABLE item_words (
    item  BIGINT NOT NULL PRIMARY KEY,
    words TSVECTOR NOT NULL
);
CREATE INDEX item_words_token ON item_words USING gin (words);

-- Items whose words are new or changed, and not indexed yet.
CREATE TABLE item_words_due (
    item BIGINT NOT NULL PRIMARY KEY
);

-- The version of the rules by which items are indexed; no row before the first item. Like the index it is not copied by `db move`:
-- the copy is indexed anew.
CREATE TABLE item_words_rules (
    version BIGINT NOT NULL PRIMARY KEY
);

-- ---- Days and counters ----

-- What each topic found on each of its local days, counted beside the loop, so that pages need not. A day is stored as its two
-- instants, because only the program knows time zones. An item counts on the day it was published, or else first seen. No row:
-- nothing was found that day.
CREATE TABLE topic_day (
    topic        TEXT COLLATE "C" NOT NULL,
    day_from     BIGINT NOT NULL,
    day_until    BIGINT NOT NULL,
    items        BIGINT NOT NULL,
    unique_items BIGINT NOT NULL,
    negative     BIGINT NOT NULL,
    neutral      BIGINT NOT NULL,
    positive     BIGINT NOT NULL,
    -- The first and the last scorer of the day's tones, in the order of their names. If they differ, the shares are of several
    -- scorers.
    scorer_from  TEXT COLLATE "C",
    scorer_to    TEXT COLLATE "C",
    PRIMARY KEY (topic, day_from)
);

-- Topics whose days must be counted again; `turn` rises if a topic is added again meanwhile.
CREATE TABLE topic_day_due (
    topic TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    turn  BIGINT NOT NULL
);

-- How often each term occurs on a topic's local days, counted beside the loop, so that no report reads the texts of four weeks
-- again. `counts` holds hashes of terms, never words. `basis` identifies what was counted; readers ignore rows of another basis and
-- count themselves. A day without a row was not counted.
CREATE TABLE topic_term (
    topic     TEXT COLLATE "C" NOT NULL,
    day_from  BIGINT NOT NULL,
    day_until BIGINT NOT NULL,
    items     BIGINT NOT NULL,
    basis     BYTEA NOT NULL,
    counts    BYTEA NOT NULL,
    PRIMARY KEY (topic, day_from)
);

-- Counters, which never fall. `labels` are the values of the metric's labels; `bound` is the bucket of a histogram (milliseconds, 0
-- for the last), or 0.
CREATE TABLE tally (
    name   TEXT COLLATE "C" NOT NULL,
    labels TEXT COLLATE "C" NOT NULL,
    bound  BIGINT NOT NULL,
    value  BIGINT NOT NULL,
    PRIMARY KEY (name, labels, bound)
);

-- When each source of a topic last answered, and last found something new.
CREATE TABLE topic_latest (
    topic       TEXT COLLATE "C" NOT NULL,
    source      TEXT COLLATE "C" NOT NULL,
    answered_at BIGINT NOT NULL,
    new_at      BIGINT,
    PRIMARY KEY (topic, source)
);

-- ---- Reports, exports, alerts and their delivery ----

-- A report. `name` is the name of its job and of its follower. It is written in the transaction that ends its run and queues its
-- messages.
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
-- All reports by time.
CREATE INDEX report_at ON report (made_at);

-- An edition: what a scheduled export wrote, or is writing. Its range of `seq` and its definition are fixed before its first byte, so
-- that after a kill the same rows go into files of the same names. `export` is the name of its job and of its follower. A run begins
-- at most one edition. `files` is null until all are in place.
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
-- Finished editions of all exports by time.
CREATE INDEX export_edition_at ON export_edition (done_at) WHERE done_at IS NOT NULL AND files IS NOT NULL;

-- Files of an unfinished edition that are in place. If the export is changed meanwhile, the edition continues as now configured;
-- rows that an incremental export already wrote to these files are not written again, even if the files were moved. `topic` is empty
-- if one file has all topics. `what` is the kind of rows, or empty if each file has everything. Deleted when the edition ends.
CREATE TABLE export_placed (
    export  TEXT COLLATE "C" NOT NULL,
    number  BIGINT NOT NULL,
    topic   TEXT COLLATE "C" NOT NULL,
    file    TEXT COLLATE "C" NOT NULL,
    what    TEXT COLLATE "C" NOT NULL,
    written BIGINT NOT NULL,
    PRIMARY KEY (export, number, file)
);

-- Events of alerts. `event` is made of alert, run (or day) and subject, so that evaluating twice records it once. `message` is the
-- message that reported it; while both it and `muted` are null, the event waits.
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
-- An alert's history.
CREATE INDEX alert_event_of ON alert_event (alert, at, event);

-- What fires now, for which subject, and whether it was acknowledged.
CREATE TABLE alert_firing (
    alert   TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    since   BIGINT NOT NULL,
    acked   BIGINT NOT NULL DEFAULT 0 CHECK (acked IN (0, 1)),
    PRIMARY KEY (alert, subject)
);
CREATE INDEX alert_firing_subject ON alert_firing (subject);

-- When an alert last sent a message, and until when it is snoozed.
CREATE TABLE alert_state (
    alert         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    sent_at       BIGINT,
    snoozed_until BIGINT
);

-- Messages: one event for one channel, until it is sent or dead. `event` is the same at every try, so that a receiver can recognise
-- a repeated message. `origin` is the run that it came from.
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

-- What was pruned of a topic's searches of a UTC day: runs that searched, calls, cost. The rest of the day is in `search`; both
-- together are the day.
CREATE TABLE pruned_day (
    topic TEXT COLLATE "C" NOT NULL,
    day   BIGINT NOT NULL,
    runs  BIGINT NOT NULL,
    calls BIGINT NOT NULL,
    cost  BIGINT NOT NULL,
    PRIMARY KEY (topic, day)
);

-- Tombstones of what was forgotten on request. A tombstone is a keyed hash (the key is `forget_key` in store_info), so that forgotten
-- things are recognised and not stored again. `done` is 0 until all of it is deleted. `since` is when
-- the first of it was seen, so that files made since then can be listed.
CREATE TABLE forgotten (
    hash  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind  TEXT COLLATE "C" NOT NULL CHECK (kind IN ('author', 'item', 'topic')),
    at    BIGINT NOT NULL,
    done  BIGINT NOT NULL CHECK (done IN (0, 1)),
    since BIGINT
);
CREATE INDEX forgotten_open ON forgotten (kind) WHERE done = 0;

-- ---- Views for SQL and BI tools (docs: the reference of SQL views) ----

-- They have public ids instead of database ids, times as ISO 8601 text, money in dollars, and only finished runs. Columns are only
-- ever added.

CREATE VIEW v_run AS
SELECT r.seq, r.public_id AS run, r.topic, r.trigger, r.state, r.reason,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.slot * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS slot,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.started_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS started_at,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.finished_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS finished_at,
       r.found, r.new, r.duplicate, r.outside, r.undated, r.unreadable, r.cost / 1000000.0 AS cost_usd, r.error_class, r.error_text, r.attempt,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.clears_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS clears_at,
       coalesce(r.thinned, 0) AS thinned, to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.pruned_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS pruned_at
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
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.clears_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS clears_at,
       CASE WHEN s.source IN ('social', 'web', 'ai') THEN 'service' ELSE s.source END AS provider
FROM search s JOIN run r ON r.id = s.run WHERE r.seq IS NOT NULL;

CREATE VIEW v_sighting AS
SELECT r.seq, r.public_id AS run, r.topic,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.started_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS seen_at,
       s.source, s.rank, i.key, s.fit, s.likes, s.reposts, s.replies, s.quotes, s.bookmarks, s.views,
       CASE WHEN s.source IN ('social', 'web', 'ai') THEN 'service' ELSE s.source END AS provider
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
