-- What may be asked for of alerts, too. `topic` or `alert` says what it is about; `event` is the one that is known, `length` how
-- long nobody is to be told, in milliseconds. The same in migrations/sqlite, where the table is made anew.
ALTER TABLE request DROP CONSTRAINT request_kind_check;
ALTER TABLE request ADD CONSTRAINT request_kind_check
CHECK (kind IN ('run_now', 'pause', 'resume', 'ack', 'snooze', 'unsnooze'));
ALTER TABLE request ALTER COLUMN topic DROP NOT NULL;
ALTER TABLE request ADD COLUMN alert TEXT COLLATE "C";
ALTER TABLE request ADD COLUMN event TEXT COLLATE "C";
ALTER TABLE request ADD COLUMN length BIGINT;
ALTER TABLE request ADD CONSTRAINT request_about_check CHECK ((topic IS NULL) <> (alert IS NULL));
CREATE INDEX request_alert ON request (asked_at, id) WHERE alert IS NOT NULL;

-- An alert's own history, and what fires for a topic.
CREATE INDEX alert_event_of ON alert_event (alert, at, event);
CREATE INDEX alert_firing_subject ON alert_firing (subject);
