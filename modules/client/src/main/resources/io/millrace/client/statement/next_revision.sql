-- Purpose: hand out the next revision of an aggregate; millrace.next_revision says how it is guarded.
-- $1 aggregate type  $2 aggregate id  $3 the revision that the caller has seen (0: none yet), or null for any
-- Rows returned: one. Tables written: revision. Locks: the aggregate's row, until the transaction ends.
select millrace.next_revision($1::text, $2::text, $3::bigint) as revision
