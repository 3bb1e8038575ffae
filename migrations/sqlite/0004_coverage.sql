-- What a search asked for and what it covered: the same in migrations/postgres; only types differ.
-- A span is from..until in milliseconds, `from` inside, `until` outside; absent where a request names no span, or where
-- nothing was covered. `topic` is that of the run, so that "covered until" is one look into an index.

ALTER TABLE search ADD COLUMN topic TEXT;
ALTER TABLE search ADD COLUMN asked_from INTEGER;
ALTER TABLE search ADD COLUMN asked_until INTEGER;
ALTER TABLE search ADD COLUMN covered_from INTEGER;
ALTER TABLE search ADD COLUMN covered_until INTEGER;
CREATE INDEX search_covered ON search (topic, source, covered_until) WHERE covered_until IS NOT NULL;

-- The view with the new columns at its end.
DROP VIEW v_search;
CREATE VIEW v_search AS
SELECT r.seq, r.public_id AS run, r.topic, s.attempt, s.source, s.operation, s.query, s.state, s.reason, s.http_status, s.tries,
       strftime('%Y-%m-%dT%H:%M:%fZ', s.started_at / 1000.0, 'unixepoch') AS started_at,
       s.latency_ms, s.found, s.new, s.duplicate, s.outside, s.undated, s.unreadable, s.saturated,
       s.expected_cost / 1000000.0 AS expected_cost_usd, s.cost / 1000000.0 AS cost_usd, s.cost_basis, s.error_class, s.error_text,
       strftime('%Y-%m-%dT%H:%M:%fZ', s.asked_from / 1000.0, 'unixepoch') AS asked_from,
       strftime('%Y-%m-%dT%H:%M:%fZ', s.asked_until / 1000.0, 'unixepoch') AS asked_until,
       strftime('%Y-%m-%dT%H:%M:%fZ', s.covered_from / 1000.0, 'unixepoch') AS covered_from,
       strftime('%Y-%m-%dT%H:%M:%fZ', s.covered_until / 1000.0, 'unixepoch') AS covered_until
FROM search s JOIN run r ON r.id = s.run WHERE r.seq IS NOT NULL;
