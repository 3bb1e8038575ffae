-- Providers beside the search service. A source is any name now; sources of providers are their names.

-- Only checks go, so the tables are not written anew (sqlite.org/lang_altertable.html, section 7).
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (source IN (''social'', ''web'', ''ai''))', '')
WHERE type = 'table' AND name IN ('search', 'sighting');
PRAGMA writable_schema = RESET;

-- Calls of a UTC day, by provider: 'service', or a name. What they cost is null while nobody has a budget of money.
CREATE TABLE calls_of (
    provider TEXT NOT NULL,
    day      INTEGER NOT NULL,
    made     INTEGER NOT NULL,
    spent    INTEGER,
    PRIMARY KEY (provider, day)
) STRICT, WITHOUT ROWID;
INSERT INTO calls_of (provider, day, made, spent) SELECT 'service', day, made, spent FROM calls;
DROP TABLE calls;
ALTER TABLE calls_of RENAME TO calls;

-- What a search of a provider leaves for the topic's next one, such as a feed's ETag: JSON of the provider's kind.
CREATE TABLE provider_memory (
    topic  TEXT NOT NULL,
    source TEXT NOT NULL,
    name   TEXT NOT NULL,
    value  TEXT NOT NULL,
    at     INTEGER NOT NULL,
    PRIMARY KEY (topic, source, name)
) STRICT, WITHOUT ROWID;
