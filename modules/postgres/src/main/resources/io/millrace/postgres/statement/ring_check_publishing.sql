-- Purpose: can the replication slot be believed, if one publishes? What it is found guilty of is kept.
-- $1 token  $2 longest wait for a lock, in ms
-- Rows returned: one: null when all is well, else what is not. Tables written: publishing. Locks: the maintenance row.
select millrace.ring_check_publishing($1::uuid, $2::integer) as problem
