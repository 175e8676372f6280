-- Tables that may hold claims: a key-like column, a lease or a claim time, and
-- a state or an owner. Reads pg_catalog only, in one pass over pg_attribute,
-- and takes no lock on a user's table. Expected plan: one sequential scan of
-- pg_attribute with a hashed list of names (0.3 s at 10,000 tables), then index
-- scans for the few tables that remain. $1: key names, $2: lease and claim
-- times, $3: states and owners, all folded to lower case without _ and -.
WITH hit AS MATERIALIZED (
  SELECT DISTINCT a.attrelid FROM pg_attribute a
  WHERE a.attnum > 0 AND NOT a.attisdropped AND translate(lower(a.attname), '_-', '') = ANY ($1::text[])
), cand AS (
  SELECT a.attrelid,
         count(*) FILTER (WHERE translate(lower(a.attname), '_-', '') = ANY ($2::text[])) AS times,
         count(*) FILTER (WHERE translate(lower(a.attname), '_-', '') = ANY ($3::text[])) AS words
  FROM hit JOIN pg_attribute a ON a.attrelid = hit.attrelid
  WHERE a.attnum > 0 AND NOT a.attisdropped GROUP BY a.attrelid
)
SELECT c.oid::text FROM cand JOIN pg_class c ON c.oid = cand.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE cand.times > 0 AND cand.words > 0 AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
  AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_%' AND has_schema_privilege(n.oid, 'USAGE')
ORDER BY cand.times + cand.words DESC, c.oid LIMIT 50
