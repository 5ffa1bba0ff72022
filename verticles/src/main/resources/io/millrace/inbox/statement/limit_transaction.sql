-- Purpose: limit every wait of this transaction, and the life of its session when this node is gone: an id claimed by a
-- dead node blocks others for as long as its session lives. The settings end with the transaction, so a pooler may hand
-- the session to others.
-- $1 ms for a statement, and for the time between two, as text  $2 ms for a lock, as text
-- Rows returned: one, without use. Tables written: none. Locks: none.
select set_config('statement_timeout', $1::text, true) as statement_timeout,
       set_config('idle_in_transaction_session_timeout', $1::text, true) as idle_timeout,
       set_config('lock_timeout', $2::text, true) as lock_timeout,
       set_config('tcp_keepalives_idle', '10', true) as keepalives_idle,
       set_config('tcp_keepalives_interval', '5', true) as keepalives_interval,
       set_config('tcp_keepalives_count', '3', true) as keepalives_count
