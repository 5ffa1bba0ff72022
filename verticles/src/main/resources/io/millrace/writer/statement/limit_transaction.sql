-- Purpose: limit every wait of this transaction. The settings end with it, so a pooler may hand the session to others.
-- $1 ms, as text
-- Rows returned: one, without use. Tables written: none. Locks: none.
select set_config('statement_timeout', $1::text, true) as statement_timeout,
       set_config('idle_in_transaction_session_timeout', $1::text, true) as idle_timeout
