-- Purpose: append one message in the caller's transaction, from any language.
-- Lock the aggregate's row first, append last: the id drawn here decides the order within the aggregate.
-- Inside a statement, call it on what a data-modifying CTE returns, so that the message exists only if the row changed:
--   with changed as (update orders set ... where ... returning id, version)
--   select a.* from changed, millrace.append('orders', 'order', changed.id::text, 'paid', ...) a
-- Rows returned: one: the message's id, its stable message id and its shard.
-- Tables written: outbox. Locks: none but the row's own.
-- Errors: 22023 naming the field, the limit and what was found.
create or replace function millrace.append(
  topic          text,
  aggregate_type text,
  aggregate_id   text,
  event_type     text,
  payload        bytea,
  revision       bigint default null,
  message_key    text   default null,
  schema_version text   default null,
  content_type   text   default 'application/json',
  headers        text[] default null,
  message_id     uuid   default null,
  resolver       text   default null)
returns table (id bigint, message uuid, shard smallint)
  language plpgsql volatile
  as $$
declare
  problem text;
begin
  problem := case
    when coalesce(length(append.topic), 0) not between 1 and 249 or append.topic !~ '^[a-zA-Z0-9._-]+$'
         or append.topic in ('.', '..') then
      format('topic must have 1 to 249 characters of a-z, A-Z, 0-9, ".", "_" and "-", found %L', left(append.topic, 300))
    when coalesce(length(append.aggregate_type), 0) not between 1 and 200 then
      format('aggregate_type must have 1 to 200 characters, found %s', coalesce(length(append.aggregate_type), 0))
    when coalesce(length(append.aggregate_id), 0) not between 1 and 400 then
      format('aggregate_id must have 1 to 400 characters, found %s', coalesce(length(append.aggregate_id), 0))
    when coalesce(length(append.event_type), 0) not between 1 and 200 then
      format('event_type must have 1 to 200 characters, found %s', coalesce(length(append.event_type), 0))
    when octet_length(append.payload) > millrace.payload_bytes_max() then
      format('payload must have at most %s bytes, found %s', millrace.payload_bytes_max(), octet_length(append.payload))
    when append.revision < 0 then
      format('revision must not be negative, found %s', append.revision)
    when length(append.message_key) not between 1 and 1000 then
      format('message_key must have 1 to 1000 characters, found %s', length(append.message_key))
    when length(append.schema_version) not between 1 and 100 then
      format('schema_version must have 1 to 100 characters, found %s', length(append.schema_version))
    when coalesce(length(append.content_type), 0) not between 1 and 200 then
      format('content_type must have 1 to 200 characters, found %s', coalesce(length(append.content_type), 0))
    when length(append.resolver) not between 1 and 100 then
      format('resolver must have 1 to 100 characters, found %s', length(append.resolver))
    when cardinality(append.headers) % 2 <> 0 or cardinality(append.headers) > 200 then
      format('headers must be at most 100 pairs of name and value, found %s texts', cardinality(append.headers))
    when length(array_to_string(append.headers, '')) > 16384 then
      format('headers must have at most 16384 characters, found %s', length(array_to_string(append.headers, '')))
    when exists (select from unnest(append.headers) with ordinality h(name, n)
                 where h.n % 2 = 1 and (h.name ~ '^(ce_|millrace_)' or h.name = 'content-type')) then
      'header names content-type, ce_... and millrace_... are Millrace''s own'
    when substr(append.message_id::text, 15, 1) <> '7' then
      format('message_id must be a UUIDv7, found %s', append.message_id)
    when abs(extract(epoch from clock_timestamp()) * 1000 - millrace.uuid_v7_ms(append.message_id)) >= 86400000 then
      format('message_id must have a time within a day of now, found %s in %s',
             to_timestamp(millrace.uuid_v7_ms(append.message_id) / 1000.0), append.message_id)
  end;
  if problem is not null then
    raise exception using errcode = 'invalid_parameter_value', message = 'millrace.append: ' || problem;
  end if;
  return query
    insert into millrace.outbox as o (message_id, aggregate_type, aggregate_id, revision, topic, message_key,
        event_type, schema_version, content_type, headers, payload, resolver)
    values (coalesce(append.message_id, millrace.uuid_v7()), append.aggregate_type, append.aggregate_id,
        append.revision, append.topic, append.message_key, append.event_type, append.schema_version,
        append.content_type, append.headers, append.payload, append.resolver)
    returning o.id, o.message_id, o.shard;
end
$$;
revoke execute on function millrace.append from public;
grant execute on function millrace.append to millrace_writer;
