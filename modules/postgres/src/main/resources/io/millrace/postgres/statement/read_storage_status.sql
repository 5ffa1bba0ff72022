-- Purpose: how much space each of Millrace's tables takes, what is dead in it, and how old its transaction ids are.
-- Rows returned: one a table; the slots, lists and buckets of one are counted together, under its name.
--   age: of the oldest transaction id in it, in transactions; database_age: in the whole database.
--   dead_rows: by the statistics collector, which a crash resets. last_vacuum: the newest, autovacuum's or not.
-- Tables written: none. Locks: ACCESS SHARE on one table after the other.
select named.table_name,
       coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint as bytes,
       max(greatest(age(c.relfrozenxid), age(toast.relfrozenxid)))::bigint as age,
       coalesce(sum(stats.n_dead_tup), 0)::bigint as dead_rows,
       max(greatest(stats.last_vacuum, stats.last_autovacuum)) as last_vacuum,
       (select age(d.datfrozenxid) from pg_database d where d.datname = current_database())::bigint as database_age
from pg_class c
left join pg_class toast on toast.oid = c.reltoastrelid and toast.relkind = 't'
left join pg_stat_all_tables stats on stats.relid = c.oid
cross join lateral (select regexp_replace(c.relname, '(_slot)?_[0-9]+$', '') as table_name) named
where c.relnamespace = 'millrace'::regnamespace and c.relkind = 'r'
group by named.table_name
order by named.table_name
