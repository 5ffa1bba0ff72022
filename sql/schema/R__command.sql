-- Purpose: run a command once. Two calls around the change, in its own transaction:
--   begin_command locks the id and looks for an answer; finish_command inserts the answer, once, without an update.
-- begin_command returns one row: the first answer, or a row of nulls when the command has not run yet.
-- Tables written: command_answer. Locks: the transaction-level advisory lock of the id, so that two calls with one id
--   follow each other.
-- Errors: 22023 for an id that is no UUIDv7 or outside the window, 23505 for the same id with another name or arguments.
create or replace function millrace.begin_command(
  p_command_id uuid, p_name text, p_arguments bytea, p_retention_days integer)
returns table (refused boolean, answer bytea)
  language plpgsql volatile
  as $$
declare
  found_answer record;
begin
  if substr(p_command_id::text, 15, 1) <> '7' then
    raise exception using errcode = 'invalid_parameter_value',
      message = format('command_id must be a UUIDv7, found %s', p_command_id);
  end if;
  if millrace.uuid_v7_ms(p_command_id) not between
       extract(epoch from clock_timestamp()) * 1000 - p_retention_days * 86400000::bigint
       and extract(epoch from clock_timestamp()) * 1000 + 86400000 then
    raise exception using errcode = 'invalid_parameter_value', message = format(
      'command_id must have a time between %s days ago and a day ahead, found %s in %s',
      p_retention_days, to_timestamp(millrace.uuid_v7_ms(p_command_id) / 1000.0), p_command_id);
  end if;
  perform pg_advisory_xact_lock(hashtextextended(p_command_id::text, millrace.lock_class()));
  select a.name, a.arguments, a.refused, a.answer into found_answer
  from millrace.command_answer a
  where a.bucket = millrace.command_bucket(p_command_id) and a.command_id = p_command_id;
  if not found then
    return query select null::boolean, null::bytea;
  elsif found_answer.name <> p_name or found_answer.arguments <> p_arguments then
    raise exception using errcode = 'unique_violation', message = format(
      'command_id %s was used before for %s with other arguments', p_command_id, found_answer.name);
  else
    return query select found_answer.refused, found_answer.answer;
  end if;
end
$$;

create or replace function millrace.finish_command(
  p_command_id uuid, p_name text, p_arguments bytea, p_refused boolean, p_answer bytea)
returns void
  language sql volatile
  as $$
    insert into millrace.command_answer (bucket, command_id, name, arguments, refused, answer)
    values (millrace.command_bucket(p_command_id), p_command_id, p_name, p_arguments, p_refused, p_answer)
  $$;
revoke execute on function millrace.begin_command, millrace.finish_command from public;
grant execute on function millrace.begin_command, millrace.finish_command to millrace_writer;
