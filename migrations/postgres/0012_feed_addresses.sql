-- Addresses of feeds may contain a token, and exports show the query of a search. Keep them without user, password, and what
-- follows `?` or `#`.
UPDATE search SET query = substr(query, 1, strpos(query, '://') + 2) || substr(query, strpos(query, '@') + 1)
WHERE operation = 'feeds' AND query LIKE '%://%@%'
  AND strpos(substr(query, strpos(query, '://') + 3), '@') < strpos(substr(query, strpos(query, '://') + 3) || '/', '/');
UPDATE search SET query = substr(query, 1, strpos(replace(query, '#', '?'), '?') - 1) || '…'
  || CASE strpos(query, ' and ') WHEN 0 THEN '' ELSE substr(query, strpos(query, ' and ')) END
WHERE operation = 'feeds' AND strpos(replace(query, '#', '?'), '?') > 0;
