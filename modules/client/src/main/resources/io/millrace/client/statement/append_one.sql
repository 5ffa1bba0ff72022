-- Purpose: append one message in the caller's transaction: what append does, for most appends, without the cost of arrays.
-- Parameters as those of append, each one value instead of an array.
-- Rows returned: one. Tables written: outbox. Locks: none but the row's own.
insert into millrace.outbox (topic, aggregate_type, aggregate_id, event_type, payload, message_id, revision, message_key,
                             schema_version, content_type, headers, resolver)
values ($1::text, $2::text, $3::text, $4::text, $5::bytea, coalesce($6::uuid, millrace.uuid_v7()), $7::bigint, $8::text,
        $9::text, $10::text, ($11::text)::text[], $12::text)
returning id, message_id, shard
