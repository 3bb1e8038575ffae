-- Addresses of feeds may contain a token, and exports show the query of a search. Keep them without user, password, and what
-- follows `?` or `#`.
UPDATE search SET query = substr(query, 1, instr(query, '://') + 2) || substr(query, instr(query, '@') + 1)
WHERE operation = 'feeds' AND query LIKE '%://%@%'
  AND instr(substr(query, instr(query, '://') + 3), '@') < instr(substr(query, instr(query, '://') + 3) || '/', '/');
UPDATE search SET query = substr(query, 1, instr(replace(query, '#', '?'), '?') - 1) || '…'
  || CASE instr(query, ' and ') WHEN 0 THEN '' ELSE substr(query, instr(query, ' and ')) END
WHERE operation = 'feeds' AND instr(replace(query, '#', '?'), '?') > 0;
