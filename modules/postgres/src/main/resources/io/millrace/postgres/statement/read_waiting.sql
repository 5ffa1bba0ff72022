-- Purpose: which of a node's shards have a message beyond what they have read? A hint, for all of them at once; what
-- commits late, below a head, is left to each shard's own pass.
-- $1 shards  $2 the head of each, in the same order
-- Rows returned: a row for each shard that has one. Tables written: none. Locks: ACCESS SHARE.
-- Limit and order keep the planner from joining the whole outbox: it descends the index once a shard and slot.
select s.shard
from unnest($1::smallint[], $2::bigint[]) as s(shard, head)
cross join lateral (
  select 1 from millrace.outbox o where o.shard = s.shard and o.id > s.head order by o.id limit 1) as waiting
