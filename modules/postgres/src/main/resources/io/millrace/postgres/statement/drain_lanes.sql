-- Purpose: mark lanes to be drained into parked.
-- $1 token  $2 longest wait for a lock, in ms  $3 how long a lane may stay, in ms  $4 whether the ring is short of slots
-- Rows returned: one: how many were marked. Tables written: lane. Locks: the maintenance row.
select millrace.drain_lanes($1::uuid, $2::integer, $3::bigint, $4::boolean) as marked
