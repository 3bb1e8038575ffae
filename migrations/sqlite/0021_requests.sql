-- What somebody asked for on a page: the only row that pages write. A daemon takes it up, does what the command of the same
-- name does, and says here what became of it. The same in migrations/postgres; only types differ. `id` is also the public id
-- of the run that was asked for, so that asking is done once whoever dies in between.
CREATE TABLE request (
    id       TEXT NOT NULL PRIMARY KEY,
    kind     TEXT NOT NULL CHECK (kind IN ('run_now', 'pause', 'resume')),
    topic    TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    state    TEXT NOT NULL CHECK (state IN ('queued', 'done', 'refused')),
    answer   TEXT,
    done_at  INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX request_open ON request (asked_at, id) WHERE state = 'queued';
CREATE INDEX request_topic ON request (topic, asked_at);
