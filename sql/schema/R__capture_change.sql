-- Purpose: what the trigger of a captured table calls for every row. The trigger's own function (made by millrace.capture)
--   turns the row into texts; everything else is here, so that a later version of Millrace reaches every captured table.
--   Functions in other schemas call it: its signature stays, a changed one becomes an overload.
-- p_source: the table, for messages of errors. p_old_id, p_before: null for a new row; p_new_id, p_after: null for one that
--   is gone. p_before, p_after: JSON objects as text. They are put together as text and never pass through jsonb, which
--   would reorder keys, rewrite numbers and refuse escaped NULs. Raw NULs and lone surrogates cannot occur: no text of a
--   UTF8 database holds one.
-- Rows returned: none.
-- Tables written: outbox: one row, or two when the id has changed (the old aggregate's deletion first). A change of neither
--   the id nor what is sent does not come here: the trigger passes over it before it locks anything.
-- Locks: none of its own. The row that the trigger fired for is locked already, or the aggregate's row by the trigger.
-- Errors: 22023 naming the table, the id, the limit and what was found. They fail the writer's statement: a change that
--   cannot be announced must not commit.
create or replace function millrace.capture_change(
  p_source         text,
  p_topic          text,
  p_aggregate_type text,
  p_event_prefix   text,
  p_old_id         text,
  p_new_id         text,
  p_before         text,
  p_after          text,
  p_old_revision   bigint,
  p_new_revision   bigint)
returns void
  language plpgsql volatile
  as $$
begin
  if p_after is not null and p_new_id is null then
    raise exception using errcode = 'invalid_parameter_value', message = format(
      'millrace.capture of %s: a column of the aggregate''s id is null, found %s', p_source, left(p_after, 200));
  end if;
  if p_old_id = p_new_id then
    perform millrace.capture_append(
      p_source, p_topic, p_aggregate_type, p_event_prefix || '.updated', p_new_id, p_before, p_after, p_new_revision);
    return;
  end if;
  -- A row from before the capture may have no id: there is no aggregate to announce the end of.
  if p_old_id is not null then
    perform millrace.capture_append(
      p_source, p_topic, p_aggregate_type, p_event_prefix || '.deleted', p_old_id, p_before, null, p_old_revision);
  end if;
  if p_new_id is not null then
    perform millrace.capture_append(
      p_source, p_topic, p_aggregate_type, p_event_prefix || '.created', p_new_id, null, p_after, p_new_revision);
  end if;
end
$$;

-- One message. What cannot change from row to row (topic, type, prefix) was checked by millrace.capture.
create or replace function millrace.capture_append(
  p_source         text,
  p_topic          text,
  p_aggregate_type text,
  p_event_type     text,
  p_id             text,
  p_before         text,
  p_after          text,
  p_revision       bigint)
returns void
  language plpgsql volatile
  as $$
declare
  payload bytea := convert_to(
    '{"before":' || coalesce(p_before, 'null') || ',"after":' || coalesce(p_after, 'null') || '}', 'UTF8');
  problem text;
begin
  problem := case
    when length(p_id) not between 1 and 400 then
      format('the aggregate''s id must have 1 to 400 characters, found %s in %L', length(p_id), left(p_id, 100))
    when octet_length(payload) > millrace.payload_bytes_max() then
      format('the message of %s %L must have at most %s bytes, found %s; list fewer columns, or raise'
             ' schema.payload_bytes_max', p_aggregate_type, left(p_id, 100), millrace.payload_bytes_max(),
             octet_length(payload))
    when p_revision < 0 then
      format('the revision of %s %L must not be negative, found %s', p_aggregate_type, left(p_id, 100), p_revision)
  end;
  if problem is not null then
    raise exception using errcode = 'invalid_parameter_value',
      message = format('millrace.capture of %s: %s', p_source, problem);
  end if;
  insert into millrace.outbox (aggregate_type, aggregate_id, revision, topic, event_type, payload)
  values (p_aggregate_type, p_id, p_revision, p_topic, p_event_type, payload);
end
$$;

-- TRUNCATE gives no row to a trigger: nothing could be announced. A partition that was detached since is its owner's.
create or replace function millrace.capture_refuse_truncate() returns trigger
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
begin
  if exists (select from pg_trigger t where t.tgrelid = tg_relid and t.tgname = '0_millrace_capture') then
    raise exception using errcode = 'feature_not_supported',
      message = format('millrace.capture of %s: TRUNCATE would remove rows without announcing it', tg_relid::regclass),
      hint = 'Delete the rows, or call millrace.release_capture first and tell by other means that they are gone.';
  end if;
  return null;
end
$$;
revoke execute on function millrace.capture_change, millrace.capture_append, millrace.capture_refuse_truncate from public;
grant execute on function millrace.capture_change, millrace.capture_append, millrace.capture_refuse_truncate
  to millrace_writer;
