-- Purpose: every bucket as an operator looks at it, with the dedup window.
-- Rows returned: one a bucket of a parent, one without a bucket when there is none. Rows are counted up to 10,000
-- (is_counted), beyond that estimated from the statistics collector's count of inserts, which a crash resets.
-- Tables written: none. Locks: ACCESS SHARE.
select millrace.inbox_bucket_ms() as bucket_ms, w.floor, w.retention_ms, w.buckets_ahead,
       b.parent, b.bucket, b.state, b.retiring_at, b.postponed,
       case when counted.rows <= 10000 then counted.rows
            else greatest(counted.rows, coalesce(stats.n_live_tup, 0)) end as rows,
       counted.rows <= 10000 as is_counted,
       coalesce(stats.n_dead_tup, 0) as dead_rows,
       coalesce(pg_total_relation_size(to_regclass('millrace.' || b.parent || '_' || b.bucket)), 0) as bytes
from millrace.inbox_window w
left join millrace.bucket b on true
left join pg_stat_all_tables stats
       on stats.schemaname = 'millrace' and stats.relname = b.parent || '_' || b.bucket
cross join lateral (
  select count(*) as rows
  from (
    (select from millrace.inbox i where b.parent = 'inbox' and i.bucket = b.bucket limit 10001)
    union all
    (select from millrace.effect e where b.parent = 'effect' and e.bucket = b.bucket limit 10001)) bounded) counted
order by b.bucket, b.parent
