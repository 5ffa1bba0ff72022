-- Purpose: carry a shard's newest receipt forward. $1 token  $2 longest wait for a lock, in ms  $3 shard
-- Rows returned: one: whether it was done. Tables written: receipt. Locks: see millrace.receipt_carry.
select millrace.receipt_carry($1::uuid, $2::integer, $3::integer) as is_done
