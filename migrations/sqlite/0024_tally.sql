-- What finished runs add up to, for whoever measures this program from outside: counted beside the loop in the order of
-- `seq`, each run once, so that nobody adds up the ledger. The same in migrations/postgres; only types differ.

-- Sums, which never fall: `labels` are the values of what `name` is divided by, `bound` is the bucket of a histogram
-- (milliseconds, 0 above all), and 0 otherwise.
CREATE TABLE tally (
    name   TEXT NOT NULL,
    labels TEXT NOT NULL,
    bound  INTEGER NOT NULL,
    value  INTEGER NOT NULL,
    PRIMARY KEY (name, labels, bound)
) STRICT, WITHOUT ROWID;

-- They hold runs up to this number; `whole` once they held all there were.
CREATE TABLE tally_progress (
    one   INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    seq   INTEGER NOT NULL,
    whole INTEGER NOT NULL CHECK (whole IN (0, 1))
) STRICT;
INSERT INTO tally_progress (one, seq, whole) VALUES (1, 0, 0);

-- When a source of a topic answered last, and when it last brought something new.
CREATE TABLE topic_latest (
    topic       TEXT NOT NULL,
    source      TEXT NOT NULL,
    answered_at INTEGER NOT NULL,
    new_at      INTEGER,
    PRIMARY KEY (topic, source)
) STRICT, WITHOUT ROWID;

-- How many topics are watched, and how many messages were given up, without reading what else is in these tables.
CREATE INDEX topic_watched ON topic (id) WHERE removed_at IS NULL;
CREATE INDEX outbox_dead ON outbox (event) WHERE state = 'dead';
