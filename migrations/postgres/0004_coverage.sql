-- What a search asked for and what it covered: the same in migrations/sqlite; only types differ.
-- A span is from..until in milliseconds, `from` inside, `until` outside; absent where a request names no span, or where
-- nothing was covered. `topic` is that of the run, so that "covered until" is one look into an index.

ALTER TABLE search ADD COLUMN topic TEXT COLLATE "C";
ALTER TABLE search ADD COLUMN asked_from BIGINT;
ALTER TABLE search ADD COLUMN asked_until BIGINT;
ALTER TABLE search ADD COLUMN covered_from BIGINT;
ALTER TABLE search ADD COLUMN covered_until BIGINT;
CREATE INDEX search_covered ON search (topic, source, covered_until) WHERE covered_until IS NOT NULL;

-- The view with the new columns at its end; replaced, so that rights given on it stay.
CREATE OR REPLACE VIEW v_search AS
SELECT r.seq, r.public_id AS run, r.topic, s.attempt, s.source, s.operation, s.query, s.state, s.reason, s.http_status, s.tries,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.started_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS started_at,
       s.latency_ms, s.found, s.new, s.duplicate, s.outside, s.undated, s.unreadable, s.saturated,
       s.expected_cost / 1000000.0 AS expected_cost_usd, s.cost / 1000000.0 AS cost_usd, s.cost_basis, s.error_class, s.error_text,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.asked_from * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS asked_from,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.asked_until * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS asked_until,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.covered_from * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS covered_from,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.covered_until * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS covered_until
FROM search s JOIN run r ON r.id = s.run WHERE r.seq IS NOT NULL;
