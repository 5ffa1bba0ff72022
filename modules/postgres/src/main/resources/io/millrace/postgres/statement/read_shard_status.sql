-- Purpose: every shard as an operator looks at it.
-- Rows returned: one a shard. Backlog is counted up to 100,000 messages above the head; lag is the age of the oldest of
-- them, in milliseconds of the database's clock, 0 when there is none.
-- Tables written: none. Locks: ACCESS SHARE.
select s.shard, s.owner, n.name as node, s.epoch, s.paused, s.claimed_at,
       c.head, c.counter, c.sweep_end is not null as is_sweeping, c.published_at,
       backlog.messages as backlog,
       coalesce(extract(epoch from clock_timestamp() - oldest.created_at) * 1000, 0)::bigint as lag_ms
from millrace.shard s
left join millrace.node n on n.node = s.owner
left join lateral (
  select r.head, r.counter, r.sweep_end, r.published_at from millrace.receipt r
  where r.shard = s.shard and r.lane = ''
  order by r.epoch desc, r.counter desc limit 1) c on true
cross join lateral (
  select count(*) as messages
  from (select from millrace.outbox o where o.shard = s.shard and o.id > coalesce(c.head, 0) limit 100000) bounded) backlog
left join lateral (
  select o.created_at from millrace.outbox o
  where o.shard = s.shard and o.id > coalesce(c.head, 0) order by o.id limit 1) oldest on true
order by s.shard
