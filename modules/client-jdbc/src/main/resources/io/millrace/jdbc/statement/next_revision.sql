-- Purpose: hand out the next revision of an aggregate; millrace.next_revision says how it is guarded.
-- Parameters: aggregate type, aggregate id, the revision that the caller has seen (0: none yet) or null for any.
-- Rows returned: one. Tables written: revision. Locks: the aggregate's row, until the transaction ends.
select millrace.next_revision(?::text, ?::text, ?::bigint) as revision
