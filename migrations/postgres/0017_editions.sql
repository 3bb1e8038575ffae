-- What an export of the configuration wrote, or is writing: an edition. Its stretch of the reading order and its definition
-- are fixed before its first byte, so that whoever takes over after a kill puts the same rows into files of the same names.
-- `export` is the name of its job and its cursor; a run begins one edition at most; `files` is null until all are in place.
CREATE TABLE export_edition (
    export     TEXT COLLATE "C" NOT NULL,
    number     BIGINT NOT NULL,
    run        TEXT COLLATE "C" NOT NULL,
    at         BIGINT NOT NULL,
    seq_since  BIGINT NOT NULL,
    seq_until  BIGINT NOT NULL,
    definition TEXT COLLATE "C" NOT NULL,
    files      TEXT COLLATE "C",
    written    BIGINT,
    done_at    BIGINT,
    PRIMARY KEY (export, number),
    UNIQUE (export, run)
);
