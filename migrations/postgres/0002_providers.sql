-- Providers beside the search service. A source is any name now; sources of providers are their names.

ALTER TABLE search DROP CONSTRAINT search_source_check;
ALTER TABLE sighting DROP CONSTRAINT sighting_source_check;

-- Calls of a UTC day, by provider: 'service', or a name. What they cost is null while nobody has a budget of money.
CREATE TABLE calls_of (
    provider TEXT NOT NULL COLLATE "C",
    day      BIGINT NOT NULL,
    made     BIGINT NOT NULL,
    spent    BIGINT,
    PRIMARY KEY (provider, day)
);
INSERT INTO calls_of (provider, day, made, spent) SELECT 'service', day, made, spent FROM calls;
DROP TABLE calls;
ALTER TABLE calls_of RENAME TO calls;
ALTER INDEX calls_of_pkey RENAME TO calls_pkey;

-- What a search of a provider leaves for the topic's next one, such as a feed's ETag: JSON of the provider's kind.
CREATE TABLE provider_memory (
    topic  TEXT NOT NULL COLLATE "C",
    source TEXT NOT NULL COLLATE "C",
    name   TEXT NOT NULL COLLATE "C",
    value  TEXT NOT NULL,
    at     BIGINT NOT NULL,
    PRIMARY KEY (topic, source, name)
);
