-- Named tokens of the pages and the API. `hash` is SHA-256 of the secret, which is kept nowhere. `topics` and `tags` are JSON lists
-- of what a token is for; both NULL: for everything. A row stays when its token is withdrawn.
CREATE TABLE access_token (
    name         TEXT NOT NULL PRIMARY KEY,
    role         TEXT NOT NULL CHECK (role IN ('read', 'act', 'edit')),
    topics       TEXT,
    tags         TEXT,
    hash         TEXT NOT NULL UNIQUE,
    made_at      INTEGER NOT NULL,
    withdrawn_at INTEGER,
    last_used_at INTEGER
) STRICT, WITHOUT ROWID;
-- Links that show one thing to whoever has them, until they expire: a topic by id, or the report that a run made.
CREATE TABLE share_link (
    id           TEXT NOT NULL PRIMARY KEY,
    kind         TEXT NOT NULL CHECK (kind IN ('topic', 'report')),
    target       TEXT NOT NULL,
    hash         TEXT NOT NULL UNIQUE,
    made_at      INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL,
    withdrawn_at INTEGER
) STRICT, WITHOUT ROWID;
