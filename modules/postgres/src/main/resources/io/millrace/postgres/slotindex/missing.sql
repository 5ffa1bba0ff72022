-- Purpose: which attached slots lack an index.
-- $1 its name without outbox_  $2 its definition
-- Rows returned: one a slot: the slot's table, and the texts of statements that build its index (null: it is built already
--   and not attached) and attach it.
-- Tables written: none. Locks: none but those of reading the catalog.
select s.relname as slot,
       case when built.indexrelid is null then
         format('create index concurrently %I on millrace.%I %s', n.name, s.relname, d.definition) end as build,
       format('alter index millrace.%I attach partition millrace.%I', d.parent, n.name) as attach
from (select 'outbox_' || i.name, i.name, i.definition from (select ?::text, trim(?::text)) i(name, definition))
  d(parent, name, definition)
join pg_inherits h on h.inhparent = 'millrace.outbox'::regclass and not h.inhdetachpending
join pg_class s on s.oid = h.inhrelid
cross join lateral (select s.relname || '_' || d.name as name) n
left join lateral (
  select i.indexrelid from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = s.oid and i.indisvalid and c.relname = n.name) built on true
where not exists (
  select from pg_inherits a
  join pg_index i on i.indexrelid = a.inhrelid
  join pg_class p on p.oid = a.inhparent
  where i.indrelid = s.oid and p.relname = d.parent and p.relnamespace = 'millrace'::regnamespace)
order by s.oid
