-- What was learned of an item's words: the item that its near-copies began with, and how it sounds. At the view's end.
DROP VIEW v_item;
CREATE VIEW v_item AS
SELECT t.topic, i.key, i.kind, i.url, i.author, i.author_name, i.title, i.text, i.lang,
       strftime('%Y-%m-%dT%H:%M:%fZ', i.published_at / 1000.0, 'unixepoch') AS published_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', t.first_seen / 1000.0, 'unixepoch') AS first_seen,
       f.public_id AS first_run,
       strftime('%Y-%m-%dT%H:%M:%fZ', t.last_seen / 1000.0, 'unixepoch') AS last_seen,
       t.times_seen, i.likes, i.reposts, i.replies, i.quotes, i.bookmarks, i.views,
       l.public_id AS last_run, i.revisions, i.is_repost, i.is_quote, i.conversation_id,
       (SELECT c.key FROM item c WHERE c.id = i.cluster) AS cluster, i.tone, i.score / 1000.0 AS score, i.scorer
FROM topic_item t JOIN item i ON i.id = t.item JOIN run f ON f.id = t.first_run JOIN run l ON l.id = t.last_run
WHERE f.seq IS NOT NULL;
