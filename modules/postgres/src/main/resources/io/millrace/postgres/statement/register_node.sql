-- Purpose: make this node known. $1 node  $2 name  $3 relay or maintenance
-- Tables written: node. Locks: none but the row's own.
select millrace.register_node($1::uuid, $2::text, $3::text)
