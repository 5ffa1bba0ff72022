-- Purpose: append messages in the caller's transaction, all in one statement.
-- The rows are inserted in the order given, so their ids rise in that order.
-- Parameters, an array each, one element a message: topics, aggregate types, aggregate ids, event types, payloads (null:
-- tombstone), message ids (null: minted here), revisions, message keys, schema versions, content types, headers as array
-- literals of name, value, name, value, ..., resolvers.
-- Rows returned: one a message. Tables written: outbox. Locks: none but the rows' own.
insert into millrace.outbox (topic, aggregate_type, aggregate_id, event_type, payload, message_id, revision, message_key,
                             schema_version, content_type, headers, resolver)
select t.topic, t.aggregate_type, t.aggregate_id, t.event_type, t.payload,
       coalesce(t.message_id, millrace.uuid_v7()), t.revision, t.message_key, t.schema_version, t.content_type,
       t.headers::text[], t.resolver
from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::bytea[], ?::uuid[], ?::bigint[], ?::text[],
            ?::text[], ?::text[], ?::text[], ?::text[])
  with ordinality as t(topic, aggregate_type, aggregate_id, event_type, payload, message_id, revision, message_key,
                       schema_version, content_type, headers, resolver, ordinality)
order by t.ordinality
returning id, message_id, shard
