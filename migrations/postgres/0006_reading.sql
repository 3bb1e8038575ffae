-- What people keep of what they read. A star and a note are the item's, whichever topic shows it.
CREATE TABLE item_star (
    item BIGINT PRIMARY KEY REFERENCES item (id),
    at   BIGINT NOT NULL
);

CREATE TABLE item_note (
    item BIGINT PRIMARY KEY REFERENCES item (id),
    note TEXT COLLATE "C" NOT NULL,
    at   BIGINT NOT NULL
);

-- Searches by name. `filters` is a JSON object of the parameters of /items; the topic stands apart, since topics are renamed.
CREATE TABLE saved_search (
    name    TEXT COLLATE "C" PRIMARY KEY,
    topic   TEXT COLLATE "C",
    filters TEXT COLLATE "C" NOT NULL,
    made_at BIGINT NOT NULL
);
