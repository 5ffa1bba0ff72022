-- Purpose: keep what a command changed. Fails when the command left the transaction aborted or ended it, so that its
-- answer is not recorded.
-- Rows returned: none. Tables written: none. Locks: none.
release savepoint millrace_command
