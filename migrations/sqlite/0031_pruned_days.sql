-- What a topic's searches of a UTC day were before they were pruned: runs that searched, calls, and what they cost. What is
-- left of the day is still in `search`; both together are the day. The same in migrations/postgres; only types differ.
CREATE TABLE pruned_day (
    topic TEXT NOT NULL,
    day   INTEGER NOT NULL,
    runs  INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    cost  INTEGER NOT NULL,
    PRIMARY KEY (topic, day)
) STRICT, WITHOUT ROWID;

-- What was pruned up to now, nobody counted.
INSERT INTO store_info (name, value) SELECT 'pruned_uncounted', value FROM store_info WHERE name = 'pruned_until';

-- How many items a run counted as new that turned out to be items which its topic had seen before: two became one.
ALTER TABLE run ADD COLUMN merged_new INTEGER NOT NULL DEFAULT 0;
DROP VIEW v_erased;
CREATE VIEW v_erased AS
SELECT r.seq, r.public_id AS run, r.topic, r.erased, r.erased_new, r.merged_new
FROM run r WHERE r.seq IS NOT NULL AND r.erased + r.erased_new + r.merged_new > 0;
