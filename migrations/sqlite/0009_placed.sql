-- Files of an edition that is being written and are in place: their rows are handed out, whatever becomes of the files, so
-- that whoever goes on leaves them. `topic` is empty where one file holds all topics; `what` says which rows were handed out,
-- and is empty where each file holds all there is. Gone once the edition has ended.
CREATE TABLE export_placed (
    export  TEXT NOT NULL,
    number  INTEGER NOT NULL,
    topic   TEXT NOT NULL,
    file    TEXT NOT NULL,
    what    TEXT NOT NULL,
    written INTEGER NOT NULL,
    PRIMARY KEY (export, number, file)
) STRICT, WITHOUT ROWID;
