-- Purpose: end a transaction that is to stay. In one that has failed it rolls back, and says nothing.
-- Rows returned: none. Tables written: none. Locks: gives back all.
commit
