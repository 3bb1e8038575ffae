-- What people say of items: good or noise for a topic, when, and by which way in (`cli`, `page`, `api`).
CREATE TABLE item_mark (
    topic   TEXT NOT NULL,
    item    INTEGER NOT NULL REFERENCES item (id),
    mark    TEXT NOT NULL CHECK (mark IN ('good', 'noise')),
    at      INTEGER NOT NULL,
    through TEXT NOT NULL CHECK (through IN ('cli', 'page', 'api')),
    PRIMARY KEY (topic, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_mark_item ON item_mark (item);
CREATE INDEX item_mark_at ON item_mark (topic, at);
