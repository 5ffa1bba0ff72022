-- Purpose: advance this node's counter. $1 node
-- Rows returned: one: false when the node has been removed as dead. Tables written: node. Locks: its row.
select millrace.heartbeat($1::uuid) as is_known
