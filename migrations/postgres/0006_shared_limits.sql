-- The service's limits over all processes of this database. A service is named by a hash of its address.

-- When the bucket of starts is full again, in microseconds: rates are finer than the milliseconds of other times.
CREATE TABLE service_limit (
    service    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    full_at_us BIGINT NOT NULL
);

-- Calls in flight that a process may have until `lease_until`; `most` and `period_us` are the limits in its own file.
CREATE TABLE service_lease (
    service     TEXT COLLATE "C" NOT NULL,
    holder      TEXT COLLATE "C" NOT NULL,
    permits     BIGINT NOT NULL CHECK (permits >= 0),
    wanted      BIGINT NOT NULL CHECK (wanted >= 0),
    most        BIGINT NOT NULL CHECK (most >= 1),
    period_us   BIGINT NOT NULL CHECK (period_us >= 0),
    lease_until BIGINT NOT NULL,
    PRIMARY KEY (service, holder)
);

-- For which attempt a queued run was last handed to another engine than the ledger, and when.
ALTER TABLE run ADD COLUMN handed_attempt BIGINT;
ALTER TABLE run ADD COLUMN handed_at BIGINT;
