-- Purpose: what has become of a message: looked for among those appended within 10 s of its id's time, which is where nearly all
--   are, and only if it is not there within 10 minutes of it.
-- $1 message id
-- Rows returned: one; state is waiting, published, parked, discarded, or null: not found. Tables written: none.
-- Locks: ACCESS SHARE.
select case when near.state is not null then near.state
            else (select far.state from millrace.find_message($1::uuid, 600000, 1000000) far) end as state
from millrace.find_message($1::uuid, 10000, 1000000) near
