-- Purpose: empty a published slot, by the exact test. $1 token  $2 longest wait for a lock, in ms  $3 slot
-- Rows returned: one: null when done, else why not. Tables written: slot. Locks: see millrace.ring_truncate.
select millrace.ring_truncate($1::uuid, $2::integer, $3::integer) as postponed
