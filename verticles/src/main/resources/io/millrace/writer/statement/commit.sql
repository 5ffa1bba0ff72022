-- Purpose: end the transaction of a command that was answered.
-- Rows returned: none. Tables written: none. Locks: gives back all.
commit
