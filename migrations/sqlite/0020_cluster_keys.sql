-- The keys under which the first item of a cluster is found, eight bytes each, beside it: whoever forgets it deletes them
-- without reading every key. The same in migrations/postgres; only types differ. `item.fingerprint` is from now on the key of
-- a copy that says it in words of its own; keys of copies from before stand with their first item.
ALTER TABLE cluster_head ADD COLUMN keys BLOB NOT NULL DEFAULT x'';
UPDATE cluster_head SET keys = led.keys
FROM (SELECT place, unhex(group_concat(printf('%016x', key), '' ORDER BY key)) AS keys
      FROM (SELECT key, place FROM cluster_lead UNION ALL SELECT key, place FROM cluster_lead_middle
            UNION ALL SELECT key, place FROM cluster_lead_young)
      GROUP BY place) AS led
WHERE led.place = cluster_head.place;
