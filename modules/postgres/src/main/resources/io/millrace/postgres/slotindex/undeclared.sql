-- Purpose: which indexes Millrace has made and does not name any more.
-- $1 the names that it does, without outbox_
-- Rows returned: one an index: its name, and the text of the statement that drops it: first what an interrupted run has built
--   on a slot and not attached, then the index of the outbox, with that of every slot.
-- Tables written: none. Locks: none but those of reading the catalog.
with gone as (
  select c.oid, c.relname, substr(c.relname, length('outbox_') + 1) as name
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = 'millrace.outbox'::regclass
    and obj_description(c.oid, 'pg_class') = 'Millrace: on every slot'
    and substr(c.relname, length('outbox_') + 1) <> all (?::text[])
)
select c.relname as index, false as is_parent, format('drop index concurrently if exists millrace.%I', c.relname) as drop
from gone g
join pg_inherits h on h.inhparent = 'millrace.outbox'::regclass
join pg_index i on i.indrelid = h.inhrelid
join pg_class s on s.oid = h.inhrelid
join pg_class c on c.oid = i.indexrelid and not c.relispartition and c.relname = s.relname || '_' || g.name
union all
select g.relname, true, format('drop index if exists millrace.%I', g.relname) from gone g
order by is_parent
