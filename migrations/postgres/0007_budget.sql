-- Money and calls per UTC day: the same in migrations/sqlite; only types differ.

-- What the day's calls cost, or may cost while that is not known; null while nobody has a budget of money.
ALTER TABLE calls ADD COLUMN spent BIGINT;

-- The same for topics that have a limit of their own.
CREATE TABLE topic_calls (
    topic TEXT COLLATE "C" NOT NULL,
    day   BIGINT NOT NULL,
    made  BIGINT NOT NULL,
    spent BIGINT NOT NULL,
    PRIMARY KEY (topic, day)
);

-- The day on which a search was last counted, and what it was counted at on earlier days: tries may pass midnight.
ALTER TABLE search ADD COLUMN counted_on BIGINT;
ALTER TABLE search ADD COLUMN counted_before BIGINT NOT NULL DEFAULT 0;

-- When there is more of what was used up.
ALTER TABLE search ADD COLUMN clears_at BIGINT;
ALTER TABLE run ADD COLUMN clears_at BIGINT;

-- The views with the new column at their ends; replaced, so that rights given on them stay.
CREATE OR REPLACE VIEW v_run AS
SELECT r.seq, r.public_id AS run, r.topic, r.trigger, r.state, r.reason,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.slot * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS slot,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.started_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS started_at,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.finished_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS finished_at,
       r.found, r.new, r.duplicate, r.outside, r.undated, r.unreadable, r.cost / 1000000.0 AS cost_usd, r.error_class, r.error_text, r.attempt,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.clears_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS clears_at
FROM run r WHERE r.seq IS NOT NULL;
CREATE OR REPLACE VIEW v_search AS
SELECT r.seq, r.public_id AS run, r.topic, s.attempt, s.source, s.operation, s.query, s.state, s.reason, s.http_status, s.tries,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.started_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS started_at,
       s.latency_ms, s.found, s.new, s.duplicate, s.outside, s.undated, s.unreadable, s.saturated,
       s.expected_cost / 1000000.0 AS expected_cost_usd, s.cost / 1000000.0 AS cost_usd, s.cost_basis, s.error_class, s.error_text,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.asked_from * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS asked_from,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.asked_until * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS asked_until,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.covered_from * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS covered_from,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.covered_until * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS covered_until,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.clears_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS clears_at
FROM search s JOIN run r ON r.id = s.run WHERE r.seq IS NOT NULL;
