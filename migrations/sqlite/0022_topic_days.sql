-- What each topic found on each of its local days, counted beside the loop, so that pages need not: the same in
-- migrations/postgres; only types differ. A day is told by its instants, since what a local day is, the program knows. An item
-- counts on the day it was published, else when it was first seen. No row: nothing was found that day.
CREATE TABLE topic_day (
    topic        TEXT NOT NULL,
    day_from     INTEGER NOT NULL,
    day_until    INTEGER NOT NULL,
    items        INTEGER NOT NULL,
    unique_items INTEGER NOT NULL,
    negative     INTEGER NOT NULL,
    neutral      INTEGER NOT NULL,
    positive     INTEGER NOT NULL,
    PRIMARY KEY (topic, day_from)
) STRICT, WITHOUT ROWID;

-- Topics whose days are to be counted anew; `turn` rises when one is named again meanwhile.
CREATE TABLE topic_day_due (
    topic TEXT NOT NULL PRIMARY KEY,
    turn  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Days hold what runs up to this number brought.
CREATE TABLE topic_day_progress (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    seq INTEGER NOT NULL
) STRICT;
INSERT INTO topic_day_progress (one, seq) SELECT 1, coalesce(max(seq), 0) FROM run;
INSERT INTO topic_day_due (topic, turn) SELECT id, 0 FROM topic WHERE removed_at IS NULL;
