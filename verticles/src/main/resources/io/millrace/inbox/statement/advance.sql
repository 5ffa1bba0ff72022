-- Purpose: the last step before the commit: the stripe moves on, or the transaction fails; millrace.inbox_advance.
-- $1 consumer  $2 topic id  $3 topic partition  $4 stripe  $5 stripe count  $6 from  $7 to  $8 leader epoch
-- Rows returned: one, without use. Tables written: progress. Locks: the stripe's advisory lock until the end.
select millrace.inbox_advance($1::text, $2::uuid, $3::integer, $4::integer, $5::integer, $6::bigint, $7::bigint,
  $8::integer)
