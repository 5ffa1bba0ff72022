-- Purpose: append one message in the caller's transaction, from any language.
-- Lock the aggregate's row first, append last: the id drawn here decides the order within the aggregate.
-- Inside a statement, call it on what a data-modifying CTE returns, so that the message exists only if the row changed:
--   with changed as (update orders set ... where ... returning id, version)
--   select a.* from changed, millrace.append('orders', 'order', changed.id::text, 'paid', ...) a
-- Rows returned: one: the message's id, its stable message id and its shard.
-- Tables written: outbox. Locks: none but the row's own.
-- Errors: 23514 naming the field, the limit and what was found; 22023 for a null and for a header name of Millrace's own.
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
    when append.topic is null then 'topic must not be null'
    when append.aggregate_type is null then 'aggregate_type must not be null'
    when append.aggregate_id is null then 'aggregate_id must not be null'
    when append.event_type is null then 'event_type must not be null'
    when append.content_type is null then 'content_type must not be null'
    when exists (select from unnest(append.headers) with ordinality h(name, n)
                 where h.n % 2 = 1 and (h.name ~ '^(ce_|millrace_)' or h.name = 'content-type')) then
      'header names content-type, ce_... and millrace_... are Millrace''s own'
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
