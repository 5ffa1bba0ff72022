-- Purpose: the oldest transaction of this database beside this one, for people: an index that is built concurrently waits for
--   every transaction that began before it, and a short lock may not be had while one has written to the outbox.
-- Rows returned: one or none. Tables written: none. Locks: none.
select o.what || ', open for ' || extract(epoch from clock_timestamp() - o.since)::integer || ' s'
from (
  select format('process %s of %s (%s)', a.pid, a.usename, coalesce(nullif(a.application_name, ''), 'without a name')),
         a.xact_start
  from pg_stat_activity a
  where a.datname = current_database() and a.pid <> pg_backend_pid() and a.xact_start is not null
    and a.backend_type = 'client backend'
  union all
  select format('prepared transaction %L of %s', p.gid, p.owner), p.prepared
  from pg_prepared_xacts p where p.database = current_database()
) o(what, since)
order by o.since limit 1
