-- Purpose: is every message of a slot published or parked, by the receipts? $1 slot
-- Rows returned: one: null when it is, else why not. Tables written: none. Locks: ACCESS SHARE.
select millrace.slot_unpublished($1::integer) as postponed
