-- The views name who was asked: 'service', or a provider. New columns stand at the end.

DROP VIEW v_search;
CREATE VIEW v_search AS
SELECT r.seq, r.public_id AS run, r.topic, s.attempt, s.source, s.operation, s.query, s.state, s.reason, s.http_status, s.tries,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.started_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS started_at,
       s.latency_ms, s.found, s.new, s.duplicate, s.outside, s.undated, s.unreadable, s.saturated,
       s.expected_cost / 1000000.0 AS expected_cost_usd, s.cost / 1000000.0 AS cost_usd, s.cost_basis, s.error_class, s.error_text,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.asked_from * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS asked_from,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.asked_until * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS asked_until,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.covered_from * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS covered_from,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.covered_until * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS covered_until,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.clears_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS clears_at,
       CASE WHEN s.source IN ('social', 'web', 'ai') THEN 'service' ELSE s.source END AS provider
FROM search s JOIN run r ON r.id = s.run WHERE r.seq IS NOT NULL;

DROP VIEW v_sighting;
CREATE VIEW v_sighting AS
SELECT r.seq, r.public_id AS run, r.topic,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.started_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS seen_at,
       s.source, s.rank, i.key, s.fit, s.likes, s.reposts, s.replies, s.quotes, s.bookmarks, s.views,
       CASE WHEN s.source IN ('social', 'web', 'ai') THEN 'service' ELSE s.source END AS provider
FROM sighting s JOIN run r ON r.id = s.run JOIN item i ON i.id = s.item WHERE r.seq IS NOT NULL;
