-- Purpose: the index on the outbox itself, from which every slot's index hangs.
-- $1 its name without outbox_  $2 its definition, as PostgreSQL prints it, from "using" on
-- Rows returned: one: whether it has this definition (null: there is none), whether it is valid, whether it is noted as
--   Millrace's, and the texts of statements that make it (on the outbox only: invalid until every slot has one) and note it.
-- Tables written: none. Locks: none but those of reading the catalog.
select right(lower(pg_get_indexdef(i.indexrelid)), length(d.definition)) = lower(d.definition) as is_as_declared,
       coalesce(i.indisvalid, false) as is_valid,
       coalesce(obj_description(i.indexrelid, 'pg_class') = 'Millrace: on every slot', false) as is_noted,
       format('create index %I on only millrace.outbox %s', d.name, d.definition) as make,
       format('comment on index millrace.%I is %L', d.name, 'Millrace: on every slot') as note
from (select 'outbox_' || ?::text, trim(?::text)) d(name, definition)
left join pg_class c on c.relname = d.name and c.relnamespace = 'millrace'::regnamespace and c.relkind = 'I'
left join pg_index i on i.indexrelid = c.oid and i.indrelid = 'millrace.outbox'::regclass
