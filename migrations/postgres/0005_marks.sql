-- What people say of items: good or noise for a topic, when, and by which way in (`cli`, `page`, `api`).
CREATE TABLE item_mark (
    topic   TEXT COLLATE "C" NOT NULL,
    item    BIGINT NOT NULL REFERENCES item (id),
    mark    TEXT COLLATE "C" NOT NULL CHECK (mark IN ('good', 'noise')),
    at      BIGINT NOT NULL,
    through TEXT COLLATE "C" NOT NULL CHECK (through IN ('cli', 'page', 'api')),
    PRIMARY KEY (topic, item)
);
CREATE INDEX item_mark_item ON item_mark (item);
CREATE INDEX item_mark_at ON item_mark (topic, at);
