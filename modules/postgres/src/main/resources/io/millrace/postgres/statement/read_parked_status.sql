-- Purpose: what consumers could not apply, by consumer and reason.
-- Rows returned: one a consumer and reason, of 1,000 consumers at most. Of each consumer 10,000 messages are looked at;
-- is_counted: these were all.
-- Tables written: none. Locks: ACCESS SHARE.
with recursive consumers(consumer, place) as (
  (select p.consumer, 1 from millrace.inbox_parked p order by p.consumer limit 1)
  union all
  select next.consumer, c.place + 1
  from consumers c
  cross join lateral (
    select p.consumer from millrace.inbox_parked p where p.consumer > c.consumer order by p.consumer limit 1) next
  where c.place < 1000
)
select c.consumer, r.reason, r.messages, r.looked_at <= 10000 as is_counted, r.oldest_at
from consumers c
cross join lateral (
  select b.reason, count(*) as messages, min(b.parked_at) as oldest_at, sum(count(*)) over () as looked_at
  from (select p.reason, p.parked_at from millrace.inbox_parked p where p.consumer = c.consumer limit 10001) b
  group by b.reason) r
order by c.consumer, r.reason
