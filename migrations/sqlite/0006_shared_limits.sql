-- The service's limits over all processes of this database. A service is named by a hash of its address.

-- When the bucket of starts is full again, in microseconds: rates are finer than the milliseconds of other times.
CREATE TABLE service_limit (
    service    TEXT NOT NULL PRIMARY KEY,
    full_at_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Calls in flight that a process may have until `lease_until`; `most` and `period_us` are the limits in its own file.
CREATE TABLE service_lease (
    service     TEXT NOT NULL,
    holder      TEXT NOT NULL,
    permits     INTEGER NOT NULL CHECK (permits >= 0),
    wanted      INTEGER NOT NULL CHECK (wanted >= 0),
    most        INTEGER NOT NULL CHECK (most >= 1),
    period_us   INTEGER NOT NULL CHECK (period_us >= 0),
    lease_until INTEGER NOT NULL,
    PRIMARY KEY (service, holder)
) STRICT, WITHOUT ROWID;

-- For which attempt a queued run was last handed to another engine than the ledger, and when.
ALTER TABLE run ADD COLUMN handed_attempt INTEGER;
ALTER TABLE run ADD COLUMN handed_at INTEGER;
