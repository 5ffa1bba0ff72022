-- Purpose: is every message of a draining slot published or parked, whoever publishes?
-- $1 token  $2 longest wait for a lock, in ms  $3 slot
-- Rows returned: one: null when it is, else why not. Tables written: slot. Locks: see millrace.ring_unpublished.
select millrace.ring_unpublished($1::uuid, $2::integer, $3::integer) as postponed
