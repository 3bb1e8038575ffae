-- What somebody asked for on a page: the only row that pages write. A daemon takes it up, does what the command of the same
-- name does, and says here what became of it. The same in migrations/sqlite; only types differ. `id` is also the public id
-- of the run that was asked for, so that asking is done once whoever dies in between.
CREATE TABLE request (
    id       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind     TEXT COLLATE "C" NOT NULL CHECK (kind IN ('run_now', 'pause', 'resume')),
    topic    TEXT COLLATE "C" NOT NULL,
    asked_at BIGINT NOT NULL,
    state    TEXT COLLATE "C" NOT NULL CHECK (state IN ('queued', 'done', 'refused')),
    answer   TEXT COLLATE "C",
    done_at  BIGINT
);
CREATE INDEX request_open ON request (asked_at, id) WHERE state = 'queued';
CREATE INDEX request_topic ON request (topic, asked_at);
