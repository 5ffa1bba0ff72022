-- Purpose: who publishes the outbox, and how far this database's logical replication slots are.
-- Rows returned: one a replication slot, sorted by name; one with a null name when there is none. Bytes of the server's log:
-- lag_bytes that its reader has not confirmed, retained_bytes that the server keeps for it.
-- Tables written: none. Locks: ACCESS SHARE.
select p.publisher, case when p.publisher = 'debezium' then p.replication_slot end as replication_slot,
       millrace.replication_slot_problem() as problem,
       r.slot_name::text as name, r.active as is_active, r.wal_status,
       greatest(pg_wal_lsn_diff(pg_current_wal_lsn(), r.confirmed_flush_lsn), 0)::bigint as lag_bytes,
       coalesce(greatest(pg_wal_lsn_diff(pg_current_wal_lsn(), r.restart_lsn), 0), 0)::bigint as retained_bytes
from millrace.publishing p
left join pg_replication_slots r on r.slot_type = 'logical' and r.database = current_database()
order by r.slot_name
