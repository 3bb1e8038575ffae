-- The house's tables in SQLite. migrations/postgres holds the same tables, columns and rules; only types differ.
-- Times are whole milliseconds since 1970 UTC, money is whole micro-dollars, flags are 0 or 1.

CREATE TABLE store_info (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A watched topic; `definition` is what a worker runs, whatever its own file says.
CREATE TABLE topic (
    id            TEXT NOT NULL PRIMARY KEY,
    title         TEXT NOT NULL,
    tags          TEXT NOT NULL,
    definition    TEXT NOT NULL,
    generation    INTEGER NOT NULL,
    planned_until INTEGER,
    schedule      TEXT,
    paused        INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
    created_at    INTEGER NOT NULL,
    removed_at    INTEGER
) STRICT, WITHOUT ROWID;

-- The ledger: one row per (job, slot), or per manual run (slot is null). `seq` is the order in which finished runs
-- became readable; readers follow it, never `id`.
CREATE TABLE run (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    public_id    TEXT NOT NULL UNIQUE,
    job          TEXT NOT NULL,
    topic        TEXT,
    slot         INTEGER,
    trigger      TEXT NOT NULL CHECK (trigger IN ('scheduled', 'catch_up', 'manual')),
    state        TEXT NOT NULL CHECK (state IN ('queued', 'running', 'ok', 'partial', 'failed', 'over_quota', 'missed', 'skipped', 'cancelled')),
    reason       TEXT,
    due_at       INTEGER NOT NULL,
    attempt      INTEGER NOT NULL DEFAULT 0,
    max_attempts INTEGER NOT NULL DEFAULT 3,
    side_by_side INTEGER NOT NULL DEFAULT 0 CHECK (side_by_side IN (0, 1)),
    lease_until  INTEGER,
    token        TEXT,
    planned_at   INTEGER NOT NULL,
    started_at   INTEGER,
    finished_at  INTEGER,
    found        INTEGER NOT NULL DEFAULT 0,
    new          INTEGER NOT NULL DEFAULT 0,
    duplicate    INTEGER NOT NULL DEFAULT 0,
    outside      INTEGER NOT NULL DEFAULT 0,
    undated      INTEGER NOT NULL DEFAULT 0,
    unreadable   INTEGER NOT NULL DEFAULT 0,
    cost         INTEGER NOT NULL DEFAULT 0,
    error_class  TEXT,
    error_text   TEXT,
    seq          INTEGER,
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

-- One call of one source within one attempt of a run; committed as 'started' before money can be spent.
CREATE TABLE search (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    run           INTEGER NOT NULL REFERENCES run (id),
    attempt       INTEGER NOT NULL,
    source        TEXT NOT NULL CHECK (source IN ('social', 'web', 'ai')),
    operation     TEXT NOT NULL,
    query         TEXT NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('started', 'ok', 'empty', 'error', 'over_quota', 'not_run', 'lost')),
    reason        TEXT,
    http_status   INTEGER,
    tries         INTEGER NOT NULL DEFAULT 0,
    started_at    INTEGER NOT NULL,
    finished_at   INTEGER,
    latency_ms    INTEGER,
    found         INTEGER NOT NULL DEFAULT 0,
    new           INTEGER NOT NULL DEFAULT 0,
    duplicate     INTEGER NOT NULL DEFAULT 0,
    outside       INTEGER NOT NULL DEFAULT 0,
    undated       INTEGER NOT NULL DEFAULT 0,
    unreadable    INTEGER NOT NULL DEFAULT 0,
    saturated     INTEGER NOT NULL DEFAULT 0 CHECK (saturated IN (0, 1)),
    expected_cost INTEGER NOT NULL DEFAULT 0,
    cost          INTEGER,
    cost_basis    TEXT CHECK (cost_basis IN ('billed', 'assumed', 'none')),
    error_class   TEXT,
    error_text    TEXT,
    UNIQUE (run, attempt, source)
) STRICT;
CREATE INDEX search_open ON search (run) WHERE state = 'started';

-- Calls made per UTC day over all processes, counted before each call.
CREATE TABLE calls (
    day  INTEGER NOT NULL PRIMARY KEY,
    made INTEGER NOT NULL
) STRICT;

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
    scorer          TEXT
) STRICT;

-- Several keys may name one item: a new rule, or a post id seen later, joins it without losing `first_seen`.
CREATE TABLE item_key (
    key     TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    item    INTEGER NOT NULL REFERENCES item (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_key_item ON item_key (item);

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

CREATE TABLE topic_item (
    topic      TEXT NOT NULL,
    item       INTEGER NOT NULL REFERENCES item (id),
    first_seen INTEGER NOT NULL,
    first_run  INTEGER NOT NULL REFERENCES run (id),
    last_seen  INTEGER NOT NULL,
    last_run   INTEGER NOT NULL REFERENCES run (id),
    times_seen INTEGER NOT NULL,
    PRIMARY KEY (topic, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX topic_item_new ON topic_item (topic, first_seen);
CREATE INDEX topic_item_first ON topic_item (first_seen);
CREATE INDEX topic_item_item ON topic_item (item);

CREATE TABLE answer (
    run     INTEGER NOT NULL PRIMARY KEY REFERENCES run (id),
    text    TEXT NOT NULL,
    model   TEXT,
    partial INTEGER NOT NULL CHECK (partial IN (0, 1)),
    cited   TEXT NOT NULL
) STRICT;

-- What an item's title and text were until `replaced_at`.
CREATE TABLE item_revision (
    item        INTEGER NOT NULL REFERENCES item (id),
    run         INTEGER NOT NULL REFERENCES run (id),
    replaced_at INTEGER NOT NULL,
    title       TEXT,
    text        TEXT,
    PRIMARY KEY (item, run)
) STRICT, WITHOUT ROWID;

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
