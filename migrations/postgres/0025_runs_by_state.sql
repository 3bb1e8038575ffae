-- Runs that did not end well, by time: few among many, and looked for by their state. The others are found by time alone, or
-- by the indexes of what waits and runs. The same in migrations/sqlite.
CREATE INDEX run_unwell ON run (state, coalesce(started_at, slot, planned_at), public_id)
WHERE state NOT IN ('ok', 'queued', 'running');
