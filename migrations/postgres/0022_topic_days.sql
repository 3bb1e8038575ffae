-- What each topic found on each of its local days, counted beside the loop, so that pages need not: the same in
-- migrations/sqlite. A day is told by its instants, since what a local day is, the program knows. An item
-- counts on the day it was published, else when it was first seen. No row: nothing was found that day.
CREATE TABLE topic_day (
    topic        TEXT COLLATE "C" NOT NULL,
    day_from     BIGINT NOT NULL,
    day_until    BIGINT NOT NULL,
    items        BIGINT NOT NULL,
    unique_items BIGINT NOT NULL,
    negative     BIGINT NOT NULL,
    neutral      BIGINT NOT NULL,
    positive     BIGINT NOT NULL,
    PRIMARY KEY (topic, day_from)
);

-- Topics whose days are to be counted anew; `turn` rises when one is named again meanwhile.
CREATE TABLE topic_day_due (
    topic TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    turn  BIGINT NOT NULL
);

-- Days hold what runs up to this number brought.
CREATE TABLE topic_day_progress (
    one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    seq BIGINT NOT NULL
);
INSERT INTO topic_day_progress (one, seq) SELECT 1, coalesce(max(seq), 0) FROM run;
INSERT INTO topic_day_due (topic, turn) SELECT id, 0 FROM topic WHERE removed_at IS NULL;
