-- Purpose: how much space Millrace's tables take, and how old their oldest transaction ids are.
-- Rows returned: one for each of outbox, receipt, progress, inbox, effect, parked (with the keys that they block) and other.
--   age: of the oldest transaction id in the part's tables, in transactions; database_age: in the whole database.
-- Tables written: none. Locks: ACCESS SHARE on one table after the other.
select coalesce(named.part, 'other') as part,
       coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint as bytes,
       max(greatest(age(c.relfrozenxid), age(toast.relfrozenxid)))::bigint as age,
       (select age(d.datfrozenxid) from pg_database d where d.datname = current_database())::bigint as database_age
from pg_class c
left join pg_class toast on toast.oid = c.reltoastrelid and toast.relkind = 't'
cross join lateral (
  select case when c.relname ~ '^(parked|blocked_key|inbox_parked)$' then 'parked'
              else substring(c.relname from '^(outbox|receipt|progress|inbox|effect)_') end as part) named
where c.relnamespace = 'millrace'::regnamespace and c.relkind = 'r'
group by 1
order by 1
