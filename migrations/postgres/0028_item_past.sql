-- What was told of an item before a run changed it, so that what earlier runs saw is told as it was then, however late it is asked
-- for: in the order in which it changed. `item.past` counts them, so that nobody looks for what nearly no item has. The same in
-- migrations/sqlite; only types differ.
CREATE TABLE item_past (
    id           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item         BIGINT NOT NULL REFERENCES item (id),
    run          BIGINT NOT NULL REFERENCES run (id),
    url          TEXT COLLATE "C",
    author       TEXT COLLATE "C",
    author_name  TEXT COLLATE "C",
    title        TEXT COLLATE "C",
    text         TEXT COLLATE "C",
    lang         TEXT COLLATE "C",
    published_at BIGINT
);
CREATE INDEX item_past_of ON item_past (item, id);
CREATE INDEX item_past_run ON item_past (run);
ALTER TABLE item ADD COLUMN past BIGINT NOT NULL DEFAULT 0;

-- Of before, words are known that were edited.
INSERT INTO item_past (item, run, url, author, author_name, title, text, lang, published_at)
SELECT v.item, v.run, i.url, i.author, i.author_name, v.title, v.text, i.lang, i.published_at
FROM item_revision v CROSS JOIN item i WHERE i.id = v.item ORDER BY v.item, v.replaced_at, v.run;
UPDATE item SET past = (SELECT count(*) FROM item_past p WHERE p.item = item.id) WHERE id IN (SELECT item FROM item_past);
