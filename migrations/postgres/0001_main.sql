-- The house's tables in PostgreSQL. migrations/sqlite holds the same tables, columns and rules; only types differ.
-- Text compares bytewise, so that both databases sort alike.
-- Times are whole milliseconds since 1970 UTC, money is whole micro-dollars, flags are 0 or 1.

CREATE TABLE store_info (
    name  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    value TEXT COLLATE "C" NOT NULL
);

-- A watched topic; `definition` is what a worker runs, whatever its own file says.
CREATE TABLE topic (
    id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    title         TEXT COLLATE "C" NOT NULL,
    tags          TEXT COLLATE "C" NOT NULL,
    definition    TEXT COLLATE "C" NOT NULL,
    generation    BIGINT NOT NULL,
    planned_until BIGINT,
    schedule      TEXT COLLATE "C",
    paused        BIGINT NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
    created_at    BIGINT NOT NULL,
    removed_at    BIGINT
);

-- The ledger: one row per (job, slot), or per manual run (slot is null). `seq` is the order in which finished runs
-- became readable; readers follow it, never `id`.
CREATE TABLE run (
    id           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    public_id    TEXT COLLATE "C" NOT NULL UNIQUE,
    job          TEXT COLLATE "C" NOT NULL,
    topic        TEXT COLLATE "C",
    slot         BIGINT,
    trigger      TEXT COLLATE "C" NOT NULL CHECK (trigger IN ('scheduled', 'catch_up', 'manual')),
    state        TEXT COLLATE "C" NOT NULL CHECK (state IN ('queued', 'running', 'ok', 'partial', 'failed', 'over_quota', 'missed', 'skipped', 'cancelled')),
    reason       TEXT COLLATE "C",
    due_at       BIGINT NOT NULL,
    attempt      BIGINT NOT NULL DEFAULT 0,
    max_attempts BIGINT NOT NULL DEFAULT 3,
    side_by_side BIGINT NOT NULL DEFAULT 0 CHECK (side_by_side IN (0, 1)),
    lease_until  BIGINT,
    token        TEXT COLLATE "C",
    planned_at   BIGINT NOT NULL,
    started_at   BIGINT,
    finished_at  BIGINT,
    found        BIGINT NOT NULL DEFAULT 0,
    new          BIGINT NOT NULL DEFAULT 0,
    duplicate    BIGINT NOT NULL DEFAULT 0,
    outside      BIGINT NOT NULL DEFAULT 0,
    undated      BIGINT NOT NULL DEFAULT 0,
    unreadable   BIGINT NOT NULL DEFAULT 0,
    cost         BIGINT NOT NULL DEFAULT 0,
    error_class  TEXT COLLATE "C",
    error_text   TEXT COLLATE "C",
    seq          BIGINT,
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

-- One call of one source within one attempt of a run; committed as 'started' before money can be spent.
CREATE TABLE search (
    id            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run           BIGINT NOT NULL REFERENCES run (id),
    attempt       BIGINT NOT NULL,
    source        TEXT COLLATE "C" NOT NULL CHECK (source IN ('social', 'web', 'ai')),
    operation     TEXT COLLATE "C" NOT NULL,
    query         TEXT COLLATE "C" NOT NULL,
    state         TEXT COLLATE "C" NOT NULL CHECK (state IN ('started', 'ok', 'empty', 'error', 'over_quota', 'not_run', 'lost')),
    reason        TEXT COLLATE "C",
    http_status   BIGINT,
    tries         BIGINT NOT NULL DEFAULT 0,
    started_at    BIGINT NOT NULL,
    finished_at   BIGINT,
    latency_ms    BIGINT,
    found         BIGINT NOT NULL DEFAULT 0,
    new           BIGINT NOT NULL DEFAULT 0,
    duplicate     BIGINT NOT NULL DEFAULT 0,
    outside       BIGINT NOT NULL DEFAULT 0,
    undated       BIGINT NOT NULL DEFAULT 0,
    unreadable    BIGINT NOT NULL DEFAULT 0,
    saturated     BIGINT NOT NULL DEFAULT 0 CHECK (saturated IN (0, 1)),
    expected_cost BIGINT NOT NULL DEFAULT 0,
    cost          BIGINT,
    cost_basis    TEXT COLLATE "C" CHECK (cost_basis IN ('billed', 'assumed', 'none')),
    error_class   TEXT COLLATE "C",
    error_text    TEXT COLLATE "C",
    UNIQUE (run, attempt, source)
);
CREATE INDEX search_open ON search (run) WHERE state = 'started';

-- Calls made per UTC day over all processes, counted before each call.
CREATE TABLE calls (
    day  BIGINT NOT NULL PRIMARY KEY,
    made BIGINT NOT NULL
);

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
    scorer          TEXT COLLATE "C"
);

-- Several keys may name one item: a new rule, or a post id seen later, joins it without losing `first_seen`.
CREATE TABLE item_key (
    key     TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    item    BIGINT NOT NULL REFERENCES item (id)
);
CREATE INDEX item_key_item ON item_key (item);

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

CREATE TABLE topic_item (
    topic      TEXT COLLATE "C" NOT NULL,
    item       BIGINT NOT NULL REFERENCES item (id),
    first_seen BIGINT NOT NULL,
    first_run  BIGINT NOT NULL REFERENCES run (id),
    last_seen  BIGINT NOT NULL,
    last_run   BIGINT NOT NULL REFERENCES run (id),
    times_seen BIGINT NOT NULL,
    PRIMARY KEY (topic, item)
);
CREATE INDEX topic_item_new ON topic_item (topic, first_seen);
CREATE INDEX topic_item_first ON topic_item (first_seen);
CREATE INDEX topic_item_item ON topic_item (item);

CREATE TABLE answer (
    run     BIGINT NOT NULL PRIMARY KEY REFERENCES run (id),
    text    TEXT COLLATE "C" NOT NULL,
    model   TEXT COLLATE "C",
    partial BIGINT NOT NULL CHECK (partial IN (0, 1)),
    cited   TEXT COLLATE "C" NOT NULL
);

-- What an item's title and text were until `replaced_at`.
CREATE TABLE item_revision (
    item        BIGINT NOT NULL REFERENCES item (id),
    run         BIGINT NOT NULL REFERENCES run (id),
    replaced_at BIGINT NOT NULL,
    title       TEXT COLLATE "C",
    text        TEXT COLLATE "C",
    PRIMARY KEY (item, run)
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
