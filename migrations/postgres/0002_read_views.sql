-- Read views for SQL and BI tools: public ids instead of database ids, times as ISO 8601 text, money in dollars.
-- Columns are only ever added. They show finished, numbered runs only.

CREATE VIEW v_run AS
SELECT r.seq, r.public_id AS run, r.topic, r.trigger, r.state, r.reason,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.slot * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS slot,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.started_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS started_at,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.finished_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS finished_at,
       r.found, r.new, r.duplicate, r.outside, r.undated, r.unreadable, r.cost / 1000000.0 AS cost_usd, r.error_class, r.error_text, r.attempt
FROM run r WHERE r.seq IS NOT NULL;

CREATE VIEW v_search AS
SELECT r.seq, r.public_id AS run, r.topic, s.attempt, s.source, s.operation, s.query, s.state, s.reason, s.http_status, s.tries,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + s.started_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS started_at,
       s.latency_ms, s.found, s.new, s.duplicate, s.outside, s.undated, s.unreadable, s.saturated,
       s.expected_cost / 1000000.0 AS expected_cost_usd, s.cost / 1000000.0 AS cost_usd, s.cost_basis, s.error_class, s.error_text
FROM search s JOIN run r ON r.id = s.run WHERE r.seq IS NOT NULL;

CREATE VIEW v_item AS
SELECT t.topic, i.key, i.kind, i.url, i.author, i.author_name, i.title, i.text, i.lang,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + i.published_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS published_at,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + t.first_seen * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS first_seen,
       f.public_id AS first_run,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + t.last_seen * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS last_seen,
       t.times_seen, i.likes, i.reposts, i.replies, i.quotes, i.bookmarks, i.views,
       l.public_id AS last_run, i.revisions, i.is_repost, i.is_quote, i.conversation_id
FROM topic_item t JOIN item i ON i.id = t.item JOIN run f ON f.id = t.first_run JOIN run l ON l.id = t.last_run
WHERE f.seq IS NOT NULL;

CREATE VIEW v_sighting AS
SELECT r.seq, r.public_id AS run, r.topic,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.started_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS seen_at,
       s.source, s.rank, i.key, s.fit, s.likes, s.reposts, s.replies, s.quotes, s.bookmarks, s.views
FROM sighting s JOIN run r ON r.id = s.run JOIN item i ON i.id = s.item WHERE r.seq IS NOT NULL;

CREATE VIEW v_answer AS
SELECT r.seq, r.public_id AS run, r.topic,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.started_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS asked_at,
       a.model, a.text, a.partial, a.cited
FROM answer a JOIN run r ON r.id = a.run WHERE r.seq IS NOT NULL;
