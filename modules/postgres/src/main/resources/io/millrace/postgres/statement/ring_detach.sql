-- Purpose: take a surplus slot out of the ring. $1 token  $2 longest wait for a lock, in ms  $3 slot
-- Rows returned: one: null when done, else why not. Tables written: slot. Locks: see millrace.ring_detach.
select millrace.ring_detach($1::uuid, $2::integer, $3::integer) as postponed
