-- Purpose: whether a table is still a slot of the ring: maintenance goes on meanwhile.
-- $1 the table's name
-- Rows returned: one. Tables written: none. Locks: none but those of reading the catalog.
select exists (
  select from pg_inherits h join pg_class s on s.oid = h.inhrelid
  where h.inhparent = 'millrace.outbox'::regclass and not h.inhdetachpending and s.relname = ?)
