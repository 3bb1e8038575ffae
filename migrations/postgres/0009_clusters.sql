-- Near-copies: the same in migrations/sqlite; only types differ. `item.cluster` is the item that its cluster began with,
-- itself when it is alone or the first; null until it was looked at. Only first items have rows here, so that a text that
-- a thousand people repeat costs no more to find than any other.

-- The first item of each cluster, by its place in the order in which they began, and what its text consisted of then.
-- Two places lead to one item when two first items turned out to be one.
CREATE TABLE cluster_head (
    place  BIGINT NOT NULL PRIMARY KEY,
    item   BIGINT NOT NULL REFERENCES item (id),
    sketch BYTEA NOT NULL
);
CREATE INDEX cluster_head_item ON cluster_head (item);

-- The keys under which near-copies find it.
CREATE TABLE cluster_lead (
    key   BIGINT NOT NULL,
    place BIGINT NOT NULL,
    PRIMARY KEY (key, place)
);

-- How far items were looked at: those of runs up to `seq`. `turn` changes with everything that is written, so that two
-- processes never decide from what only one of them knows.
CREATE TABLE cluster_progress (
    one  BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    seq  BIGINT NOT NULL,
    next BIGINT NOT NULL,
    turn BIGINT NOT NULL
);
INSERT INTO cluster_progress (one, seq, next, turn) VALUES (1, 0, 1, 0);

-- The copies of an item: only those that are not the first of their cluster.
CREATE INDEX item_copies ON item (cluster) WHERE cluster <> id;
-- Runs that may have brought items nobody has looked at.
CREATE INDEX run_brought ON run (seq) WHERE seq IS NOT NULL AND new > 0;
