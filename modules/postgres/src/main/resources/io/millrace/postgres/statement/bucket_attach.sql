-- Purpose: create and attach a bucket. $1 token  $2 longest wait for a lock, in ms
-- $3 inbox or effect  $4 bucket
-- Rows returned: one: null when done, else why not. Tables written: none. Locks: see millrace.bucket_attach.
select millrace.bucket_attach($1::uuid, $2::integer, $3::text, $4::integer) as postponed
