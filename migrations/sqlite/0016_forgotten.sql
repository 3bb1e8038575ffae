-- What was forgotten on request: the same in migrations/postgres; only types differ. A tombstone is a keyed hash (the key is
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

-- What was taken away of what a run counted: sightings, and items that it was the first of its topic to see.
ALTER TABLE run ADD COLUMN erased INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN erased_new INTEGER NOT NULL DEFAULT 0;

CREATE VIEW v_erased AS
SELECT r.seq, r.public_id AS run, r.topic, r.erased, r.erased_new
FROM run r WHERE r.seq IS NOT NULL AND r.erased + r.erased_new > 0;
