-- What an export of the configuration wrote, or is writing: an edition. Its stretch of the reading order and its definition
-- are fixed before its first byte, so that whoever takes over after a kill puts the same rows into files of the same names.
-- `export` is the name of its job and its cursor; a run begins one edition at most; `files` is null until all are in place.
CREATE TABLE export_edition (
    export     TEXT NOT NULL,
    number     INTEGER NOT NULL,
    run        TEXT NOT NULL,
    at         INTEGER NOT NULL,
    seq_since  INTEGER NOT NULL,
    seq_until  INTEGER NOT NULL,
    definition TEXT NOT NULL,
    files      TEXT,
    written    INTEGER,
    done_at    INTEGER,
    PRIMARY KEY (export, number),
    UNIQUE (export, run)
) STRICT, WITHOUT ROWID;
