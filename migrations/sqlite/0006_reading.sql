-- What people keep of what they read. A star and a note are the item's, whichever topic shows it.
CREATE TABLE item_star (
    item INTEGER PRIMARY KEY REFERENCES item (id),
    at   INTEGER NOT NULL
) STRICT;

CREATE TABLE item_note (
    item INTEGER PRIMARY KEY REFERENCES item (id),
    note TEXT NOT NULL,
    at   INTEGER NOT NULL
) STRICT;

-- Searches by name. `filters` is a JSON object of the parameters of /items; the topic stands apart, since topics are renamed.
CREATE TABLE saved_search (
    name    TEXT PRIMARY KEY,
    topic   TEXT,
    filters TEXT NOT NULL,
    made_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
