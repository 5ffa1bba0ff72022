-- Purpose: the nodes that are registered, with what they own. $1 how many at most
-- Rows returned: one a registration, by name and role: a node has one as a relay and one for maintenance.
-- Tables written: none. Locks: ACCESS SHARE.
select n.node, n.name, n.role, n.counter, n.started_at,
       (select count(*) from millrace.shard s where s.owner = n.node) as shards,
       exists (select from millrace.maintenance m where m.owner = n.node) as is_maintaining
from millrace.node n
order by n.name, n.role, n.node
limit $1::integer
