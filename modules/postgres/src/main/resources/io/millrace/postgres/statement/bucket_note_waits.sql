-- Purpose: begin to retire a bucket, and write down who may still write to it. $1 token  $2 longest wait for a lock, in ms
-- $3 inbox or effect  $4 bucket
-- Rows returned: one: null when done, else why not. Tables written: bucket. Locks: see millrace.bucket_note_waits.
select millrace.bucket_note_waits($1::uuid, $2::integer, $3::text, $4::integer) as postponed
