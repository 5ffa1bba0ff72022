-- Purpose: the buckets as maintenance decides on them.
-- Rows returned: one a bucket of a parent, one without a bucket when there is none. State attached: a table that is
-- attached and was not announced. now and ages in milliseconds of the database's clock.
-- Tables written: none. Locks: ACCESS SHARE on bucket and inbox_window.
select millrace.inbox_bucket_ms() as bucket_ms, w.floor, w.retention_ms, w.buckets_ahead,
       (extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms,
       b.parent, b.bucket, b.state, b.is_attached, b.retiring_ms
from millrace.inbox_window w
left join lateral (
  select coalesce(k.parent, a.parent) as parent, coalesce(k.bucket, a.bucket) as bucket,
         coalesce(k.state, 'attached') as state, a.bucket is not null as is_attached,
         coalesce(extract(epoch from clock_timestamp() - k.retiring_at) * 1000, 0)::bigint as retiring_ms
  from millrace.bucket k
  full join (
    select p.relname::text as parent, substr(c.relname::text, length(p.relname::text) + 2)::integer as bucket
    from pg_inherits i
    join pg_class p on p.oid = i.inhparent
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent in ('millrace.inbox'::regclass, 'millrace.effect'::regclass)
      and c.relname ~ '^(inbox|effect)_[0-9]{1,9}$') a on a.parent = k.parent and a.bucket = k.bucket) b on true
order by b.bucket, b.parent
