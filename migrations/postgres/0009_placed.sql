-- Files of an unfinished edition that are in place. An export that is changed meanwhile goes on with the edition as it is now
-- configured; rows that an incremental export handed out in these files are not written again, wherever the files are by then.
-- `topic` is empty where one file holds all topics. `what` is the kind of those rows, and empty where each file holds all there
-- is. Deleted when the edition ends.
CREATE TABLE export_placed (
    export  TEXT COLLATE "C" NOT NULL,
    number  BIGINT NOT NULL,
    topic   TEXT COLLATE "C" NOT NULL,
    file    TEXT COLLATE "C" NOT NULL,
    what    TEXT COLLATE "C" NOT NULL,
    written BIGINT NOT NULL,
    PRIMARY KEY (export, number, file)
);
