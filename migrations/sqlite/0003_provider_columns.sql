-- The views name who was asked: 'service', or a provider. New columns stand at the end.

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
       strftime('%Y-%m-%dT%H:%M:%fZ', s.clears_at / 1000.0, 'unixepoch') AS clears_at,
       CASE WHEN s.source IN ('social', 'web', 'ai') THEN 'service' ELSE s.source END AS provider
FROM search s JOIN run r ON r.id = s.run WHERE r.seq IS NOT NULL;

DROP VIEW v_sighting;
CREATE VIEW v_sighting AS
SELECT r.seq, r.public_id AS run, r.topic,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.started_at / 1000.0, 'unixepoch') AS seen_at,
       s.source, s.rank, i.key, s.fit, s.likes, s.reposts, s.replies, s.quotes, s.bookmarks, s.views,
       CASE WHEN s.source IN ('social', 'web', 'ai') THEN 'service' ELSE s.source END AS provider
FROM sighting s JOIN run r ON r.id = s.run JOIN item i ON i.id = s.item WHERE r.seq IS NOT NULL;
