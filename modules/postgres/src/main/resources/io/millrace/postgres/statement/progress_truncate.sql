-- Purpose: empty a closed list of progress. $1 token  $2 longest wait for a lock, in ms  $3 list
-- Rows returned: one: whether it was done. Tables written: progress. Locks: see millrace.progress_truncate.
select millrace.progress_truncate($1::uuid, $2::integer, $3::integer) as is_done
