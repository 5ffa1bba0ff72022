-- Purpose: raise the floor to where it belongs. $1 token  $2 longest wait for a lock, in ms
-- Rows returned: one: null when done, else why not. Tables written: inbox_window. Locks: see millrace.bucket_raise_floor.
select millrace.bucket_raise_floor($1::uuid, $2::integer) as postponed
