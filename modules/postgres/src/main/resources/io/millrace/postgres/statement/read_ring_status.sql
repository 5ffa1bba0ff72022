-- Purpose: every slot as an operator looks at it.
-- Rows returned: one a slot. Rows are counted up to 100,000 (is_counted), beyond that estimated from the statistics
-- collector's count of inserts, which a crash resets. Oldest and newest by one index probe a shard.
-- Tables written: none. Locks: ACCESS SHARE.
select s.slot, s.state, millrace.ring_current() = s.slot as is_current,
       case when counted.rows <= 100000 then counted.rows
            else greatest(counted.rows, coalesce(stats.n_live_tup, 0)) end as rows,
       counted.rows <= 100000 as is_counted,
       coalesce(stats.n_dead_tup, 0) as dead_rows, stats.last_vacuum, stats.last_autovacuum,
       coalesce(pg_total_relation_size(to_regclass('millrace.outbox_slot_' || s.slot)), 0) as bytes,
       ends.oldest_at, ends.newest_at, s.opened_at, s.closed_at, s.published_at, s.truncated_at, s.postponed
from millrace.slot s
left join pg_stat_all_tables stats
       on stats.schemaname = 'millrace' and stats.relname = 'outbox_slot_' || s.slot
cross join lateral (
  select count(*) as rows from (select from millrace.outbox o where o.slot = s.slot limit 100001) bounded) counted
cross join lateral (
  select min(first.created_at) as oldest_at, max(last.created_at) as newest_at
  from millrace.shard sh
  left join lateral (
    select o.created_at from millrace.outbox o
    where o.slot = s.slot and o.shard = sh.shard order by o.id limit 1) first on true
  left join lateral (
    select o.created_at from millrace.outbox o
    where o.slot = s.slot and o.shard = sh.shard order by o.id desc limit 1) last on true) ends
order by s.slot
