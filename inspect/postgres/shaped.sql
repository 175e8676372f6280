-- Tables that have all columns of a known shape. Reads pg_catalog only and takes
-- no lock on a user's table. Expected plan: one pass over pg_attribute with a
-- hashed list of each shape's most telling column, then index scans for the few
-- tables that have one. $1 and $2: shape and column, pairwise, folded to lower
-- case without _; $3 and $4: shape and its most telling column.
WITH hit AS MATERIALIZED (
  SELECT a.attrelid, p.shape FROM pg_attribute a JOIN unnest($3::text[], $4::text[]) AS p(shape, col) ON replace(lower(a.attname), '_', '') = p.col
  WHERE a.attnum > 0 AND NOT a.attisdropped
), fit AS (
  SELECT h.attrelid FROM hit h JOIN unnest($1::text[], $2::text[]) AS p(shape, col) ON p.shape = h.shape
  LEFT JOIN pg_attribute a ON a.attrelid = h.attrelid AND a.attnum > 0 AND NOT a.attisdropped AND replace(lower(a.attname), '_', '') = p.col
  GROUP BY h.attrelid, h.shape HAVING count(DISTINCT p.col) = count(DISTINCT replace(lower(a.attname), '_', ''))
)
SELECT DISTINCT c.oid::text FROM fit JOIN pg_class c ON c.oid = fit.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
  AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_%' AND has_schema_privilege(n.oid, 'USAGE')
LIMIT 200
