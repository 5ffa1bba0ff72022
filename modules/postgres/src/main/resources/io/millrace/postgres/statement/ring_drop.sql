-- Purpose: drop a slot that was taken out. $1 token  $2 longest wait for a lock, in ms  $3 slot
-- Rows returned: one: null when done, else why not. Tables written: slot. Locks: see millrace.ring_drop.
select millrace.ring_drop($1::uuid, $2::integer, $3::integer) as postponed
