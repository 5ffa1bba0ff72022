-- Purpose: nodes, shards and the owner of maintenance, in one snapshot.
-- Rows returned: one a node (kind node), one a shard (kind shard), one for maintenance.
-- Tables written: none. Locks: ACCESS SHARE.
select 'node' as kind, n.node as uuid, n.name, n.role, n.counter as number, null::integer as shard, null::uuid as token,
       false as paused
from millrace.node n
union all
select 'shard', s.owner, null, null, s.epoch, s.shard, s.token, s.paused from millrace.shard s
union all
select 'maintenance', m.owner, null, null, m.epoch, null, null, false from millrace.maintenance m
order by 1, 6, 2
