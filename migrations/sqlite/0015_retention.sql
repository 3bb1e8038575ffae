-- Bounded history: what pruning has done, and how it finds what is left to do. The same in migrations/postgres; only
-- types differ.

-- Of a run's sightings: null while nobody looked whether they may go, 0 when the snapshot stays whole, 1 when only those
-- are left by which its topic saw an item first or last.
ALTER TABLE run ADD COLUMN thinned INTEGER CHECK (thinned IN (0, 1));
-- When its searches, its answer and what was left of its sightings went; the row stays while an item was seen in it
-- first or last.
ALTER TABLE run ADD COLUMN pruned_at INTEGER;
-- When an item's words went; null again when it was seen once more.
ALTER TABLE item ADD COLUMN pruned_at INTEGER;

CREATE INDEX raw_reply_at ON raw_reply (received_at, search);
-- By what never changes, so that seeing an item again costs nothing here.
CREATE INDEX item_worded ON item (first_seen, id) WHERE pruned_at IS NULL;
CREATE INDEX run_whole ON run ((started_at / 86400000), topic, seq) WHERE thinned IS NULL AND found > 0 AND seq IS NOT NULL;
CREATE INDEX run_full ON run ((coalesce(started_at, slot, planned_at)), id) WHERE pruned_at IS NULL;
CREATE INDEX item_revision_run ON item_revision (run);

-- A run may go when no item was seen in it first or last, which its sightings tell; a foreign key would look through the
-- whole table for each run that goes.
DROP VIEW v_item;
CREATE TABLE topic_item_free (
    topic      TEXT NOT NULL,
    item       INTEGER NOT NULL REFERENCES item (id),
    first_seen INTEGER NOT NULL,
    first_run  INTEGER NOT NULL,
    last_seen  INTEGER NOT NULL,
    last_run   INTEGER NOT NULL,
    times_seen INTEGER NOT NULL,
    PRIMARY KEY (topic, item)
) STRICT, WITHOUT ROWID;
INSERT INTO topic_item_free (topic, item, first_seen, first_run, last_seen, last_run, times_seen)
SELECT topic, item, first_seen, first_run, last_seen, last_run, times_seen FROM topic_item ORDER BY topic, item;
DROP TABLE topic_item;
ALTER TABLE topic_item_free RENAME TO topic_item;
CREATE INDEX topic_item_new ON topic_item (topic, first_seen);
CREATE INDEX topic_item_first ON topic_item (first_seen);
CREATE INDEX topic_item_item ON topic_item (item);
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

-- The view with the new columns at its end.
DROP VIEW v_run;
CREATE VIEW v_run AS
SELECT r.seq, r.public_id AS run, r.topic, r.trigger, r.state, r.reason,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.slot / 1000.0, 'unixepoch') AS slot,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.started_at / 1000.0, 'unixepoch') AS started_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.finished_at / 1000.0, 'unixepoch') AS finished_at,
       r.found, r.new, r.duplicate, r.outside, r.undated, r.unreadable, r.cost / 1000000.0 AS cost_usd, r.error_class, r.error_text, r.attempt,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.clears_at / 1000.0, 'unixepoch') AS clears_at,
       r.thinned, strftime('%Y-%m-%dT%H:%M:%fZ', r.pruned_at / 1000.0, 'unixepoch') AS pruned_at
FROM run r WHERE r.seq IS NOT NULL;
