-- How late the new posts of a reply were, milliseconds: of those that the search before should have shown, how long before that
-- search they were published. Unknown where no post was new or nothing was asked before. The same in migrations/sqlite.
ALTER TABLE search ADD COLUMN late_ms BIGINT;
-- Full replies that cover nothing: how far a topic was looked at is asked before each run.
CREATE INDEX search_in_vain ON search (topic, source, asked_until) WHERE saturated = 1 AND covered_until IS NULL;
