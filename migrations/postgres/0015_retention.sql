-- Bounded history: what pruning has done, and how it finds what is left to do. The same in migrations/sqlite; only
-- types differ.

-- Of a run's sightings: null while nobody looked whether they may go, 0 when the snapshot stays whole, 1 when only those
-- are left by which its topic saw an item first or last.
ALTER TABLE run ADD COLUMN thinned BIGINT CHECK (thinned IN (0, 1));
-- When its searches, its answer and what was left of its sightings went; the row stays while an item was seen in it
-- first or last.
ALTER TABLE run ADD COLUMN pruned_at BIGINT;
-- When an item's words went; null again when it was seen once more.
ALTER TABLE item ADD COLUMN pruned_at BIGINT;

CREATE INDEX raw_reply_at ON raw_reply (received_at, search);
-- By what never changes, so that seeing an item again costs nothing here.
CREATE INDEX item_worded ON item (first_seen, id) WHERE pruned_at IS NULL;
CREATE INDEX run_whole ON run ((started_at / 86400000), topic, seq) WHERE thinned IS NULL AND found > 0 AND seq IS NOT NULL;
CREATE INDEX run_full ON run ((coalesce(started_at, slot, planned_at)), id) WHERE pruned_at IS NULL;
CREATE INDEX item_revision_run ON item_revision (run);

-- A run may go when no item was seen in it first or last, which its sightings tell; a foreign key would look through the
-- whole table for each run that goes.
ALTER TABLE topic_item DROP CONSTRAINT topic_item_first_run_fkey;
ALTER TABLE topic_item DROP CONSTRAINT topic_item_last_run_fkey;

-- The view with the new columns at its end; replaced, so that rights given on it stay.
CREATE OR REPLACE VIEW v_run AS
SELECT r.seq, r.public_id AS run, r.topic, r.trigger, r.state, r.reason,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.slot * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS slot,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.started_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS started_at,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.finished_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS finished_at,
       r.found, r.new, r.duplicate, r.outside, r.undated, r.unreadable, r.cost / 1000000.0 AS cost_usd, r.error_class, r.error_text, r.attempt,
       to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.clears_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS clears_at,
       r.thinned, to_char(to_timestamp(0) AT TIME ZONE 'UTC' + r.pruned_at * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS pruned_at
FROM run r WHERE r.seq IS NOT NULL;
