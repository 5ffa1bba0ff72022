-- Purpose: what has become of a message: looked for among those appended within 10 minutes of its id's time.
-- $1 message id
-- Rows returned: one; state is waiting, published, parked, discarded, or null: not found. Tables written: none.
-- Locks: ACCESS SHARE.
select f.state from millrace.find_message($1::uuid, 600000, 1000000) f
