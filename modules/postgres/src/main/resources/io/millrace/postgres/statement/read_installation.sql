-- Purpose: what a node must know before it starts.
-- Rows returned: one. is_ahead: a stored snapshot has seen transaction ids that this server has not issued.
-- Tables written: none. Locks: ACCESS SHARE.
select millrace.shard_count() as shard_count,
       millrace.payload_bytes_max() as payload_bytes_max,
       millrace.inbox_bucket_ms() as inbox_bucket_ms,
       current_setting('server_version_num')::integer as server_version,
       current_setting('synchronous_commit') as synchronous_commit,
       pg_is_in_recovery() as is_in_recovery,
       exists (select from millrace.receipt r
               where pg_snapshot_xmax(r.seen) > pg_snapshot_xmax(pg_current_snapshot())) as is_ahead
