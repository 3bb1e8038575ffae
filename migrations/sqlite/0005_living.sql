-- Living with a daemon: which topic sets were in force, which processes live, and what was asked of topics beside them.

-- A generation is a topic set that became the one in force; `hash` is that of its definitions, in order of id.
CREATE TABLE config_generation (
    number  INTEGER NOT NULL PRIMARY KEY,
    hash    TEXT NOT NULL,
    made_at INTEGER NOT NULL
) STRICT;
CREATE INDEX config_generation_hash ON config_generation (hash);

-- A process that runs what is due, alive until `alive_until` unless it says so again.
CREATE TABLE instance (
    id          TEXT NOT NULL PRIMARY KEY,
    role        TEXT NOT NULL,
    generation  INTEGER NOT NULL,
    started_at  INTEGER NOT NULL,
    seen_at     INTEGER NOT NULL,
    alive_until INTEGER NOT NULL
) STRICT;

-- A file that still says the old id must not begin a second history.
CREATE TABLE renamed (
    old_id     TEXT NOT NULL PRIMARY KEY,
    new_id     TEXT NOT NULL,
    renamed_at INTEGER NOT NULL
) STRICT;

ALTER TABLE topic ADD COLUMN paused_at INTEGER;
ALTER TABLE topic ADD COLUMN pause_reason TEXT;

-- What people asked for, looked at every second.
CREATE INDEX run_asked ON run (id) WHERE state = 'queued' AND trigger = 'manual';
