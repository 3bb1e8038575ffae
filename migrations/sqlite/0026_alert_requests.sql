-- What may be asked for of alerts, too. A table's checks cannot be changed here, so it is made anew; it holds a week of requests.
-- `topic` or `alert` says what it is about; `event` is the one that is known, `length` how long nobody is to be told, in
-- milliseconds. The same in migrations/postgres, which changes what is there.
CREATE TABLE request_wider (
    id       TEXT NOT NULL PRIMARY KEY,
    kind     TEXT NOT NULL CHECK (kind IN ('run_now', 'pause', 'resume', 'ack', 'snooze', 'unsnooze')),
    topic    TEXT,
    alert    TEXT,
    event    TEXT,
    length   INTEGER,
    asked_at INTEGER NOT NULL,
    state    TEXT NOT NULL CHECK (state IN ('queued', 'done', 'refused')),
    answer   TEXT,
    done_at  INTEGER,
    CHECK ((topic IS NULL) <> (alert IS NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO request_wider (id, kind, topic, asked_at, state, answer, done_at)
SELECT id, kind, topic, asked_at, state, answer, done_at FROM request ORDER BY id;
DROP TABLE request;
ALTER TABLE request_wider RENAME TO request;
CREATE INDEX request_open ON request (asked_at, id) WHERE state = 'queued';
CREATE INDEX request_topic ON request (topic, asked_at);
CREATE INDEX request_alert ON request (asked_at, id) WHERE alert IS NOT NULL;

-- An alert's own history, and what fires for a topic.
CREATE INDEX alert_event_of ON alert_event (alert, at, event);
CREATE INDEX alert_firing_subject ON alert_firing (subject);
