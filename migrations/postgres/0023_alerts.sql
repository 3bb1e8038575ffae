-- Alerts: what each saw, what fires now, and when it spoke last. Up to where an alert has looked stands in `cursor`.

-- `event` is made of alert, run (or day) and subject, so that what is looked at twice is told once. `message` is what told of
-- it; while both it and `muted` are null it waits for its turn.
CREATE TABLE alert_event (
    event    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    alert    TEXT COLLATE "C" NOT NULL,
    subject  TEXT COLLATE "C" NOT NULL,
    kind     TEXT COLLATE "C" NOT NULL CHECK (kind IN ('fired', 'recovered')),
    at       BIGINT NOT NULL,
    summary  TEXT COLLATE "C" NOT NULL,
    lines    TEXT COLLATE "C" NOT NULL,
    message  TEXT COLLATE "C",
    muted    TEXT COLLATE "C",
    acked_at BIGINT
);
CREATE INDEX alert_event_at ON alert_event (at, event);
CREATE INDEX alert_event_waiting ON alert_event (alert, at, event) WHERE message IS NULL AND muted IS NULL;

CREATE TABLE alert_firing (
    alert   TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    since   BIGINT NOT NULL,
    acked   BIGINT NOT NULL DEFAULT 0 CHECK (acked IN (0, 1)),
    PRIMARY KEY (alert, subject)
);

CREATE TABLE alert_state (
    alert         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    sent_at       BIGINT,
    snoozed_until BIGINT
);
