-- Purpose: empty a closed list of receipts. $1 token  $2 longest wait for a lock, in ms  $3 list
-- Rows returned: one: whether it was done. Tables written: receipt. Locks: see millrace.receipt_truncate.
select millrace.receipt_truncate($1::uuid, $2::integer, $3::integer) as is_done
