-- Purpose: let new receipts go to the next list. $1 token  $2 longest wait for a lock, in ms
-- Rows returned: one: whether it was done. Tables written: receipt_part_state. Locks: see millrace.receipt_turn.
select millrace.receipt_turn($1::uuid, $2::integer) as is_done
