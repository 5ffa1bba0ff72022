-- Purpose: set the position of every stripe of a chain anew; millrace.inbox_restart says how.
-- $1 consumer  $2 topic  $3 topic id  $4 topic partition  $5 stripe count  $6 offset  $7 leader epoch
-- $8 the counters that were loaded, in the order of the stripes  $9 reason
-- Rows returned: one: false when somebody has moved it since. Tables written: progress, chain. Locks: the stripes'.
select millrace.inbox_restart($1::text, $2::text, $3::uuid, $4::integer, $5::integer, $6::bigint, $7::integer,
  $8::bigint[], $9::text) as is_set
