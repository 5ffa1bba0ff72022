-- Purpose: which messages can be told from their repeats.
-- Rows returned: one. newest: of the buckets that are ready without a gap from the floor on; below the floor: none is.
-- Tables written: none. Locks: ACCESS SHARE.
select millrace.inbox_bucket_ms() as bucket_ms, w.floor, w.retention_ms,
       coalesce((
         select max(n.bucket)
         from (select b.bucket, row_number() over (order by b.bucket) as place
               from millrace.bucket b
               where b.parent = 'inbox' and b.state = 'ready' and b.bucket >= w.floor) n
         where n.bucket = w.floor + n.place - 1), w.floor - 1) as newest
from millrace.inbox_window w
