-- Purpose: what has become of a message at a consumer: by its id in the bucket of its id's time.
-- $1 consumer  $2 message id
-- Rows returned: one; state is applied, parked, or null: not found. Tables written: none. Locks: ACCESS SHARE.
select case when exists (select from millrace.inbox_parked p where p.consumer = $1::text and p.message_id = $2::uuid)
              then 'parked'
            when exists (select from millrace.inbox i
                         where i.bucket = millrace.bucket_of(millrace.uuid_v7_ms($2::uuid))
                           and i.consumer = $1::text and i.message_id = $2::uuid)
              then 'applied' end as state
