-- Purpose: begin the transaction of one statement behind a pooler, where limits last as long as a transaction at most.
-- Simple protocol: more than one command. Who holds its locks and freezes before the commit loses the session.
-- Locks: none.
begin isolation level read committed;
set local idle_in_transaction_session_timeout = '3s'
