-- Named tokens of the pages and the API. `hash` is SHA-256 of the secret, which is kept nowhere. `topics` and `tags` are JSON lists
-- of what a token is for; both NULL: for everything. A row stays when its token is withdrawn.
CREATE TABLE access_token (
    name         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    role         TEXT COLLATE "C" NOT NULL CHECK (role IN ('read', 'act', 'edit')),
    topics       TEXT COLLATE "C",
    tags         TEXT COLLATE "C",
    hash         TEXT COLLATE "C" NOT NULL UNIQUE,
    made_at      BIGINT NOT NULL,
    withdrawn_at BIGINT,
    last_used_at BIGINT
);
-- Links that show one thing to whoever has them, until they expire: a topic by id, or the report that a run made.
CREATE TABLE share_link (
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind         TEXT COLLATE "C" NOT NULL CHECK (kind IN ('topic', 'report')),
    target       TEXT COLLATE "C" NOT NULL,
    hash         TEXT COLLATE "C" NOT NULL UNIQUE,
    made_at      BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    withdrawn_at BIGINT
);
