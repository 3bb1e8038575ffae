-- A run that nothing was taken from is not thinned, also where retention has not looked at it.
DROP VIEW v_run;
CREATE VIEW v_run AS
SELECT r.seq, r.public_id AS run, r.topic, r.trigger, r.state, r.reason,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.slot / 1000.0, 'unixepoch') AS slot,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.started_at / 1000.0, 'unixepoch') AS started_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.finished_at / 1000.0, 'unixepoch') AS finished_at,
       r.found, r.new, r.duplicate, r.outside, r.undated, r.unreadable, r.cost / 1000000.0 AS cost_usd, r.error_class, r.error_text, r.attempt,
       strftime('%Y-%m-%dT%H:%M:%fZ', r.clears_at / 1000.0, 'unixepoch') AS clears_at,
       coalesce(r.thinned, 0) AS thinned, strftime('%Y-%m-%dT%H:%M:%fZ', r.pruned_at / 1000.0, 'unixepoch') AS pruned_at
FROM run r WHERE r.seq IS NOT NULL;
