-- Files of an edition that is being written and are in place: their rows are handed out, whatever becomes of the files, so
-- that whoever goes on leaves them. `topic` is empty where one file holds all topics; `what` says which rows were handed out,
-- and is empty where each file holds all there is. Gone once the edition has ended.
CREATE TABLE export_placed (
    export  TEXT COLLATE "C" NOT NULL,
    number  BIGINT NOT NULL,
    topic   TEXT COLLATE "C" NOT NULL,
    file    TEXT COLLATE "C" NOT NULL,
    what    TEXT COLLATE "C" NOT NULL,
    written BIGINT NOT NULL,
    PRIMARY KEY (export, number, file)
);
