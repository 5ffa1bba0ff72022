-- Purpose: begin the transaction of one pass. Simple protocol: more than one command.
-- The settings end with the transaction, so a transaction-mode pooler may hand the session to others. Statistics of an
-- emptied slot make a sequential or a bitmap scan with a sort look cheap; the index in order is what bounds a pass.
-- Planning over all slots takes longer than the pass itself, and the plan is the same for every value: plan it once.
-- Locks: none.
begin isolation level repeatable read, read only;
set local plan_cache_mode = force_generic_plan;
set local enable_seqscan = off;
set local enable_bitmapscan = off;
set local jit = off;
set local idle_in_transaction_session_timeout = '3s'
