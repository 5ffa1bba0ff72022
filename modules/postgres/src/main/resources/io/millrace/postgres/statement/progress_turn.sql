-- Purpose: let new progress go to the next list. $1 token  $2 longest wait for a lock, in ms
-- Rows returned: one: whether it was done. Tables written: progress_part_state. Locks: see millrace.progress_turn.
select millrace.progress_turn($1::uuid, $2::integer) as is_done
