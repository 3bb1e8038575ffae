-- Runs that were started, without missed and skipped slots. After months in which nothing ran, a topic has thousands of those
-- slots, and the search for its last run, or for an earlier answer to its query, must not read them all.
CREATE INDEX run_started ON run (topic, seq) WHERE started_at IS NOT NULL;
