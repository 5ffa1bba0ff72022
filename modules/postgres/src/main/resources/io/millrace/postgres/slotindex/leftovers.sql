-- Purpose: what interrupted work has left behind on attached slots: invalid indexes that nobody is building any more. CREATE
--   INDEX CONCURRENTLY leaves one of its own name, REINDEX CONCURRENTLY one named ..._ccnew or ..._ccold.
-- Rows returned: one an index: its slot's table, its name, and the text of the statement that repairs it: what hangs from an
--   index of the outbox cannot be dropped, and is built anew; anything else goes.
-- Tables written: none. Locks: none but those of reading the catalog.
select s.relname as slot, c.relname as index,
       case when c.relispartition then format('reindex index concurrently millrace.%I', c.relname)
            else format('drop index concurrently if exists millrace.%I', c.relname) end as repair
from pg_inherits h
join pg_class s on s.oid = h.inhrelid
join pg_index i on i.indrelid = s.oid
join pg_class c on c.oid = i.indexrelid
where h.inhparent = 'millrace.outbox'::regclass and not h.inhdetachpending and not i.indisvalid
  and not exists (select from pg_stat_progress_create_index p where p.relid = s.oid)
order by c.oid
