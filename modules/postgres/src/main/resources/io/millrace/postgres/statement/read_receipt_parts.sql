-- Purpose: the lists of receipts, as rotation decides on them.
-- Rows returned: one a list; age in milliseconds since it was opened. Tables written: none. Locks: ACCESS SHARE.
select p.part, p.opened_at is null as is_empty,
       p.part = pg_sequence_last_value('millrace.receipt_part'::regclass) as is_current,
       coalesce(extract(epoch from clock_timestamp() - p.opened_at) * 1000, 0)::bigint as age_ms
from millrace.receipt_part_state p
order by p.part
