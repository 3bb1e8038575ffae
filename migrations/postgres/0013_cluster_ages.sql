-- Keys of near-copies in the order of their age: the same in migrations/sqlite; only types differ. A key lies anywhere in its
-- index, so that each would touch a page of its own in a large one. New keys go into a small table; when it is full they
-- move on in order of key, many to a page. Each key is in exactly one of the three tables.
CREATE TABLE cluster_lead_young (
    key   BIGINT NOT NULL,
    place BIGINT NOT NULL,
    PRIMARY KEY (key, place)
);
CREATE TABLE cluster_lead_middle (
    key   BIGINT NOT NULL,
    place BIGINT NOT NULL,
    PRIMARY KEY (key, place)
);

-- How many keys the two hold, and which of them is being emptied: 0 the young, 1 the middle, -1 none.
ALTER TABLE cluster_progress ADD COLUMN young BIGINT NOT NULL DEFAULT 0;
ALTER TABLE cluster_progress ADD COLUMN middle BIGINT NOT NULL DEFAULT 0;
ALTER TABLE cluster_progress ADD COLUMN sinking BIGINT NOT NULL DEFAULT -1;
