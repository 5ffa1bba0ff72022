-- Purpose: who stands in the way of cleaning, for people: ': pid 4711 (pg_dump) since 2030-01-31 10:00:00+00, ...', the
--   oldest three. Since when is known only to members of pg_read_all_stats; a prepared transaction is named as one.
-- Rows returned: one text; empty when nobody holds a lock any more. Tables written: none. Locks: none.
create or replace function millrace.lock_holders(p_relation regclass, p_only_writers boolean) returns text
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    select coalesce(': ' || string_agg(holder, ', ' order by since nulls last, holder), '')
    from (
      select case when l.pid is null then 'a prepared transaction'
                  else format('pid %s%s%s', l.pid, ' (' || nullif(a.application_name, '') || ')',
                              ' since ' || date_trunc('second', a.xact_start)) end as holder,
             min(a.xact_start) as since
      from pg_locks l
      left join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'relation' and l.relation = p_relation and l.granted
        and l.database = (select d.oid from pg_database d where d.datname = current_database())
        and l.pid is distinct from pg_backend_pid()
        and not (p_only_writers and l.mode in ('AccessShareLock', 'RowShareLock', 'ShareLock'))
      group by 1 order by 2 nulls last limit 3) oldest
  $$;
revoke execute on function millrace.lock_holders from public;
