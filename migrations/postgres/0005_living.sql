-- Living with a daemon: which topic sets were in force, which processes live, and what was asked of topics beside them.

-- A generation is a topic set that became the one in force; `hash` is that of its definitions, in order of id.
CREATE TABLE config_generation (
    number  BIGINT NOT NULL PRIMARY KEY,
    hash    TEXT COLLATE "C" NOT NULL,
    made_at BIGINT NOT NULL
);
CREATE INDEX config_generation_hash ON config_generation (hash);

-- A process that runs what is due, alive until `alive_until` unless it says so again.
CREATE TABLE instance (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    role        TEXT COLLATE "C" NOT NULL,
    generation  BIGINT NOT NULL,
    started_at  BIGINT NOT NULL,
    seen_at     BIGINT NOT NULL,
    alive_until BIGINT NOT NULL
);

-- A file that still says the old id must not begin a second history.
CREATE TABLE renamed (
    old_id     TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    new_id     TEXT COLLATE "C" NOT NULL,
    renamed_at BIGINT NOT NULL
);

ALTER TABLE topic ADD COLUMN paused_at BIGINT;
ALTER TABLE topic ADD COLUMN pause_reason TEXT COLLATE "C";

-- What people asked for, looked at every second.
CREATE INDEX run_asked ON run (id) WHERE state = 'queued' AND trigger = 'manual';
