-- Purpose: limit every further statement of the transaction. Simple protocol, which takes no values: one to bind would be
-- one more answer to wait for. The mark in the statement is replaced by a number of milliseconds.
-- Locks: none.
set local statement_timeout = /*ms*/30000
