-- How often each term was said on a topic's local days (its own zone), counted beside the loop, so that no report reads the texts of
-- four weeks again. `counts` holds hashes of terms, never words; `basis` tells what it was counted from: of another basis it
-- means nothing, and readers count for themselves. A day without a row was not counted.
CREATE TABLE topic_term (
    topic     TEXT COLLATE "C" NOT NULL,
    day_from  BIGINT NOT NULL,
    day_until BIGINT NOT NULL,
    items     BIGINT NOT NULL,
    basis     BYTEA NOT NULL,
    counts    BYTEA NOT NULL,
    PRIMARY KEY (topic, day_from)
);

-- Runs of before are not walked through: the next one that brings something has all days of its topic counted.
INSERT INTO follower (name, seq) SELECT 'terms', coalesce(max(seq), 0) FROM run WHERE seq IS NOT NULL;
