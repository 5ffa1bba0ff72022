-- Purpose: let the states follow the sequence after a turn's transaction was lost. $1 token  $2 longest wait, in ms
-- Rows returned: one: null when done, else why not. Tables written: slot. Locks: see millrace.ring_reconcile.
select case when millrace.ring_reconcile($1::uuid, $2::integer) then null
            else 'the ring is not as it was when this was decided' end as postponed
