-- Purpose: append one message in the caller's transaction: what append does, for most appends, without the cost of arrays.
-- Parameters as those of append, each one value instead of an array; the message id as text.
-- Rows returned: one. Tables written: outbox. Locks: none but the row's own.
insert into millrace.outbox (topic, aggregate_type, aggregate_id, event_type, payload, message_id, revision, message_key,
                             schema_version, content_type, headers, resolver)
values (?::text, ?::text, ?::text, ?::text, ?::bytea, coalesce((?::text)::uuid, millrace.uuid_v7()), ?::bigint, ?::text,
        ?::text, ?::text, (?::text)::text[], ?::text)
returning id, message_id, shard
