-- Purpose: a node leaves, or is removed as dead. $1 node  $2 the counter at which it was found dead, or null: it leaves
-- Rows returned: one: whether it was removed. Tables written: node. Locks: its row.
select millrace.remove_node($1::uuid, $2::bigint) as is_removed
