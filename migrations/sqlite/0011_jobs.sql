-- Jobs that are no topics, what they made, and what is to be delivered to whom.

-- Planned like a topic: `next_slot` is 0 when nobody has worked it out yet and null when there is none. Its runs have no
-- topic. `definition` is what a worker runs, whatever its own file says.
CREATE TABLE job (
    id            TEXT NOT NULL PRIMARY KEY,
    kind          TEXT NOT NULL,
    definition    TEXT NOT NULL,
    generation    INTEGER NOT NULL,
    planned_until INTEGER,
    next_slot     INTEGER,
    schedule      TEXT,
    paused        INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
    created_at    INTEGER NOT NULL,
    removed_at    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX job_next ON job (next_slot, id) WHERE removed_at IS NULL AND paused = 0 AND next_slot IS NOT NULL;
CREATE INDEX job_planned ON job (planned_until) WHERE removed_at IS NULL AND paused = 0 AND next_slot IS NOT NULL;
-- Runs of jobs that wait; those of topics are found by `run_due`.
CREATE INDEX run_job_due ON run (due_at, id) WHERE state = 'queued' AND topic IS NULL;

-- Up to where a named reader has got: the number of the last run it told of, and the instant. Moves after delivery only.
CREATE TABLE cursor (
    name TEXT NOT NULL PRIMARY KEY,
    seq  INTEGER NOT NULL,
    at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A report that was made, `name` being that of its job and its cursor: written in the transaction that ends its run and queues what is to be delivered of it.
CREATE TABLE report (
    run          TEXT NOT NULL PRIMARY KEY,
    name         TEXT NOT NULL,
    made_at      INTEGER NOT NULL,
    span_from    INTEGER NOT NULL,
    span_until   INTEGER NOT NULL,
    seq          INTEGER NOT NULL,
    subject      TEXT NOT NULL,
    files        TEXT NOT NULL,
    delivered_at INTEGER
) STRICT;
CREATE INDEX report_name ON report (name, made_at);

-- What is to be sent: each event to one channel, until it is sent or dead. `event` is the same at every try, so that
-- whoever receives it twice can tell. `origin` is the run it came of.
CREATE TABLE outbox (
    event        TEXT NOT NULL PRIMARY KEY,
    channel      TEXT NOT NULL,
    kind         TEXT NOT NULL,
    origin       TEXT,
    subject      TEXT NOT NULL,
    text         TEXT NOT NULL,
    html         TEXT,
    data         TEXT,
    state        TEXT NOT NULL CHECK (state IN ('queued', 'sending', 'sent', 'dead')),
    attempt      INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL,
    next_at      INTEGER NOT NULL,
    lease_until  INTEGER,
    token        TEXT,
    error        TEXT,
    delivered_at INTEGER
) STRICT;
CREATE INDEX outbox_due ON outbox (channel, next_at, event) WHERE state = 'queued';
CREATE INDEX outbox_lease ON outbox (channel, lease_until) WHERE state = 'sending';
CREATE INDEX outbox_origin ON outbox (origin);
CREATE INDEX outbox_at ON outbox (created_at, event);
