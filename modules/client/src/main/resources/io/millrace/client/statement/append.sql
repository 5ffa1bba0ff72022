-- Purpose: append messages in the caller's transaction, all in one statement.
-- The rows are inserted in the order given, so their ids rise in that order.
-- Headers come as one array literal a message: slicing one long array of texts would walk it from its start for every
-- message, which is quadratic.
-- $1 topics  $2 aggregate types  $3 aggregate ids  $4 event types  $5 payloads (null: tombstone)
-- $6 message ids (null: minted here)  $7 revisions  $8 message keys  $9 schema versions  $10 content types
-- $11 headers, as array literals of name, value, name, value, ...  $12 resolvers
-- Rows returned: one a message. Tables written: outbox. Locks: none but the rows' own.
insert into millrace.outbox (topic, aggregate_type, aggregate_id, event_type, payload, message_id, revision, message_key,
                             schema_version, content_type, headers, resolver)
select t.topic, t.aggregate_type, t.aggregate_id, t.event_type, t.payload,
       coalesce(t.message_id, millrace.uuid_v7()), t.revision, t.message_key, t.schema_version, t.content_type,
       t.headers::text[], t.resolver
from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::uuid[], $7::bigint[], $8::text[],
            $9::text[], $10::text[], $11::text[], $12::text[])
  with ordinality as t(topic, aggregate_type, aggregate_id, event_type, payload, message_id, revision, message_key,
                       schema_version, content_type, headers, resolver, ordinality)
order by t.ordinality
returning id, message_id, shard
