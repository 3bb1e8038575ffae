-- What finished runs add up to, for whoever measures this program from outside: counted beside the loop in the order of
-- `seq`, each run once, so that nobody adds up the ledger. The same in migrations/sqlite.

-- Sums, which never fall: `labels` are the values of what `name` is divided by, `bound` is the bucket of a histogram
-- (milliseconds, 0 above all), and 0 otherwise.
CREATE TABLE tally (
    name   TEXT COLLATE "C" NOT NULL,
    labels TEXT COLLATE "C" NOT NULL,
    bound  BIGINT NOT NULL,
    value  BIGINT NOT NULL,
    PRIMARY KEY (name, labels, bound)
);

-- They hold runs up to this number; `whole` once they held all there were.
CREATE TABLE tally_progress (
    one   BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    seq   BIGINT NOT NULL,
    whole BIGINT NOT NULL CHECK (whole IN (0, 1))
);
INSERT INTO tally_progress (one, seq, whole) VALUES (1, 0, 0);

-- When a source of a topic answered last, and when it last brought something new.
CREATE TABLE topic_latest (
    topic       TEXT COLLATE "C" NOT NULL,
    source      TEXT COLLATE "C" NOT NULL,
    answered_at BIGINT NOT NULL,
    new_at      BIGINT,
    PRIMARY KEY (topic, source)
);

-- How many topics are watched, and how many messages were given up, without reading what else is in these tables.
CREATE INDEX topic_watched ON topic (id) WHERE removed_at IS NULL;
CREATE INDEX outbox_dead ON outbox (event) WHERE state = 'dead';
