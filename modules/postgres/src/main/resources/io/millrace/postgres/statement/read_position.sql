-- Purpose: is there anything to read? The snapshot tells: a late commit moves it and not the sequence.
-- Rows returned: one. Tables written: none. Locks: none.
select pg_current_snapshot()::text as now,
       coalesce(pg_sequence_last_value('millrace.outbox_id'::regclass), 0) as sequence,
       millrace.incarnation() as incarnation
