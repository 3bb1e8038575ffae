-- A topic's runs by time: what a topic's page looks at, without passing over the runs of all other topics. The same in
-- migrations/postgres.
CREATE INDEX run_topic_at ON run (topic, coalesce(started_at, slot, planned_at), public_id);
