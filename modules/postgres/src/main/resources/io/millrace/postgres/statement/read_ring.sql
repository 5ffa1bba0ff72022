-- Purpose: the ring as maintenance decides on it.
-- Rows returned: one a slot. Ages in milliseconds of the database's clock. Tables written: none. Locks: ACCESS SHARE.
select s.slot, s.state, s.closed_xid is not null as is_closed, s.waits_for is distinct from '{unknown}' as waits_noted,
       coalesce(extract(epoch from clock_timestamp() - case s.state
         when 'hot' then s.opened_at
         when 'published' then s.published_at
         when 'free' then greatest(s.attached_at, s.truncated_at) end) * 1000, 0)::bigint as state_age_ms,
       coalesce(pg_total_relation_size(to_regclass('millrace.outbox_slot_' || s.slot)), 0) as bytes,
       millrace.ring_current() as current,
       not exists (select from millrace.outbox o where o.slot = (select millrace.ring_current())) as hot_is_empty
from millrace.slot s
order by s.slot
