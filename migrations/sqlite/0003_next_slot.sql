-- When a topic is to be looked at next: its first slot after `planned_until`, 0 when nobody has worked it out yet, null
-- when there is none. The planner reads what is due by the index, however many topics wait for later.
ALTER TABLE topic ADD COLUMN next_slot INTEGER;
UPDATE topic SET next_slot = 0 WHERE schedule IS NOT NULL;
CREATE INDEX topic_next ON topic (next_slot, id) WHERE removed_at IS NULL AND paused = 0 AND next_slot IS NOT NULL;
-- Those planned into a future that turned out not to be one (the clock was set back) are found by this.
CREATE INDEX topic_planned ON topic (planned_until) WHERE removed_at IS NULL AND paused = 0 AND next_slot IS NOT NULL;
