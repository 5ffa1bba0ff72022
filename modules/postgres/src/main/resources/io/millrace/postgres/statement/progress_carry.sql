-- Purpose: carry the newest progress of stripes forward. $1 token  $2 longest wait for a lock, in ms
-- $3 so many stripes at most
-- Rows returned: one: how many were carried. Tables written: progress. Locks: see millrace.progress_carry.
select millrace.progress_carry($1::uuid, $2::integer, $3::integer) as carried
