-- Purpose: write down who still plans without a new slot. $1 token  $2 longest wait for a lock, in ms  $3 slot
-- Rows returned: one: null when done, else why not. Tables written: slot. Locks: see millrace.ring_note_waits.
select case when millrace.ring_note_waits($1::uuid, $2::integer, $3::integer) then null
            else 'the ring is not as it was when this was decided' end as postponed
