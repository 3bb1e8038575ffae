-- Money and calls per UTC day: the same in migrations/postgres; only types differ.

-- What the day's calls cost, or may cost while that is not known; null while nobody has a budget of money.
ALTER TABLE calls ADD COLUMN spent INTEGER;

-- The same for topics that have a limit of their own.
CREATE TABLE topic_calls (
    topic TEXT NOT NULL,
    day   INTEGER NOT NULL,
    made  INTEGER NOT NULL,
    spent INTEGER NOT NULL,
    PRIMARY KEY (topic, day)
) STRICT, WITHOUT ROWID;

-- The day on which a search was last counted, and what it was counted at on earlier days: tries may pass midnight.
ALTER TABLE search ADD COLUMN counted_on INTEGER;
ALTER TABLE search ADD COLUMN counted_before INTEGER NOT NULL DEFAULT 0;

-- When there is more of what was used up.
ALTER TABLE search ADD COLUMN clears_at INTEGER;
ALTER TABLE run ADD COLUMN clears_at INTEGER;

-- The views with the new column at their ends.
DROP VIEW v_run;
CREATE VIEW v_run AS
SELECT r.seq, r.public_id AS run, r.topic, r.trigger, r.state, r.reason,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.slot / 1000.0, 'unixepoch') AS slot,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.started_at / 1000.0, 'unixepoch') AS started_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.finished_at / 1000.0, 'unixepoch') AS finished_at,
       r.found, r.new, r.duplicate, r.outside, r.undated, r.unreadable, r.cost / 1000000.0 AS cost_usd, r.error_class, r.error_text, r.attempt,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.clears_at / 1000.0, 'unixepoch') AS clears_at
FROM run r WHERE r.seq IS NOT NULL;
DROP VIEW v_search;
CREATE VIEW v_search AS
SELECT r.seq, r.public_id AS run, r.topic, s.attempt, s.source, s.operation, s.query, s.state, s.reason, s.http_status, s.tries,
       strftime('%Y-%m-%dT%H:%M:%fZ', s.started_at / 1000.0, 'unixepoch') AS started_at,
       s.latency_ms, s.found, s.new, s.duplicate, s.outside, s.undated, s.unreadable, s.saturated,
       s.expected_cost / 1000000.0 AS expected_cost_usd, s.cost / 1000000.0 AS cost_usd, s.cost_basis, s.error_class, s.error_text,
       strftime('%Y-%m-%dT%H:%M:%fZ', s.asked_from / 1000.0, 'unixepoch') AS asked_from,
       strftime('%Y-%m-%dT%H:%M:%fZ', s.asked_until / 1000.0, 'unixepoch') AS asked_until,
       strftime('%Y-%m-%dT%H:%M:%fZ', s.covered_from / 1000.0, 'unixepoch') AS covered_from,
       strftime('%Y-%m-%dT%H:%M:%fZ', s.covered_until / 1000.0, 'unixepoch') AS covered_until,
       strftime('%Y-%m-%dT%H:%M:%fZ', s.clears_at / 1000.0, 'unixepoch') AS clears_at
FROM search s JOIN run r ON r.id = s.run WHERE r.seq IS NOT NULL;
