-- Purpose: make a new slot free if those have ended. $1 token  $2 longest wait for a lock, in ms  $3 slot
-- Rows returned: one: null when done, else why not. Tables written: slot. Locks: see millrace.ring_confirm_attached.
select case when millrace.ring_confirm_attached($1::uuid, $2::integer, $3::integer) then null
            else 'the ring is not as it was when this was decided' end as postponed
