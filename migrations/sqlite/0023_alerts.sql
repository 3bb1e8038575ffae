-- Alerts: what each saw, what fires now, and when it spoke last. Up to where an alert has looked stands in `cursor`.

-- `event` is made of alert, run (or day) and subject, so that what is looked at twice is told once. `message` is what told of
-- it; while both it and `muted` are null it waits for its turn.
CREATE TABLE alert_event (
    event    TEXT NOT NULL PRIMARY KEY,
    alert    TEXT NOT NULL,
    subject  TEXT NOT NULL,
    kind     TEXT NOT NULL CHECK (kind IN ('fired', 'recovered')),
    at       INTEGER NOT NULL,
    summary  TEXT NOT NULL,
    lines    TEXT NOT NULL,
    message  TEXT,
    muted    TEXT,
    acked_at INTEGER
) STRICT;
CREATE INDEX alert_event_at ON alert_event (at, event);
CREATE INDEX alert_event_waiting ON alert_event (alert, at, event) WHERE message IS NULL AND muted IS NULL;

CREATE TABLE alert_firing (
    alert   TEXT NOT NULL,
    subject TEXT NOT NULL,
    since   INTEGER NOT NULL,
    acked   INTEGER NOT NULL DEFAULT 0 CHECK (acked IN (0, 1)),
    PRIMARY KEY (alert, subject)
) STRICT, WITHOUT ROWID;

CREATE TABLE alert_state (
    alert         TEXT NOT NULL PRIMARY KEY,
    sent_at       INTEGER,
    snoozed_until INTEGER
) STRICT, WITHOUT ROWID;
