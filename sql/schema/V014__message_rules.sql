-- What a message must be, as one constraint that calls a function. PostgreSQL reads, plans and compiles the check
-- constraints of a table anew for every statement: a dozen conditions in them cost an append more than storing its row.
-- What a function's body says is planned once a session.

-- Rows returned: one: true. Errors: 23514 naming the field, its limit and what was found.
-- Its own search_path: nobody's functions and operators stand in for those meant here.
create function millrace.keeps_the_rules(
  topic          text,
  aggregate_type text,
  aggregate_id   text,
  event_type     text,
  payload        bytea,
  revision       bigint,
  message_key    text,
  schema_version text,
  content_type   text,
  headers        text[],
  message_id     uuid,
  resolver       text,
  created_at     timestamptz)
returns boolean
  language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp
  as $$
declare
  problem text;
begin
  problem := case
    when length(topic) not between 1 and 249 or topic !~ '^[a-zA-Z0-9._-]+$' or topic in ('.', '..') then
      format('topic must have 1 to 249 characters of a-z, A-Z, 0-9, ".", "_" and "-", found %L', left(topic, 300))
    when length(aggregate_type) not between 1 and 200 then
      format('aggregate_type must have 1 to 200 characters, found %s', length(aggregate_type))
    when length(aggregate_id) not between 1 and 400 then
      format('aggregate_id must have 1 to 400 characters, found %s', length(aggregate_id))
    when length(event_type) not between 1 and 200 then
      format('event_type must have 1 to 200 characters, found %s', length(event_type))
    when octet_length(payload) > millrace.payload_bytes_max() then
      format('payload must have at most %s bytes, found %s', millrace.payload_bytes_max(), octet_length(payload))
    when revision < 0 then
      format('revision must not be negative, found %s', revision)
    when length(message_key) not between 1 and 1000 then
      format('message_key must have 1 to 1000 characters, found %s', length(message_key))
    when length(schema_version) not between 1 and 100 then
      format('schema_version must have 1 to 100 characters, found %s', length(schema_version))
    when length(content_type) not between 1 and 200 then
      format('content_type must have 1 to 200 characters, found %s', length(content_type))
    when length(resolver) not between 1 and 100 then
      format('resolver must have 1 to 100 characters, found %s', length(resolver))
    -- name, value, name, value, ...: names may repeat, so it is no map
    when cardinality(headers) % 2 <> 0 or cardinality(headers) > 200 or array_ndims(headers) <> 1 then
      format('headers must be at most 100 pairs of name and value in one dimension, found %s texts in %s',
             cardinality(headers), array_ndims(headers))
    when array_position(headers, null) is not null then
      format('headers must not hold null, found one at %s', array_position(headers, null))
    when length(array_to_string(headers, '')) > 16384 then
      format('headers must have at most 16384 characters, found %s', length(array_to_string(headers, '')))
    when substr(message_id::text, 15, 1) <> '7' then
      format('message_id must be a UUIDv7, found %s', message_id)
    when abs(extract(epoch from created_at) * 1000 - millrace.uuid_v7_ms(message_id)) >= 86400000 then
      format('message_id must have a time within a day of now, found %s in %s',
             to_timestamp(millrace.uuid_v7_ms(message_id) / 1000.0), message_id)
  end;
  if problem is null then
    return true;
  end if;
  raise exception using errcode = 'check_violation', message = 'millrace.outbox: ' || problem,
    schema = 'millrace', table = 'outbox', constraint = 'message_keeps_the_rules';
end
$$;

revoke execute on function millrace.keeps_the_rules from public;
grant execute on function millrace.keeps_the_rules to millrace_writer;

-- Writers queue behind whoever waits for the outbox: so for 100 ms at a time. A transaction that has appended holds its
-- lock until it ends.
do $$
begin
  set local lock_timeout = '100ms';
  for attempt in 1 .. 100 loop
    begin
      lock table millrace.outbox in access exclusive mode;
      exit;
    exception when lock_not_available then
      if attempt = 100 then
        raise exception using errcode = 'lock_not_available',
          message = 'transactions on the outbox did not end: run migrate again when the oldest of them is over';
      end if;
      perform pg_sleep(0.2);
    end;
  end loop;
end
$$;

-- Not valid: the rows that are there have met the same conditions, and reading them all again would keep writers waiting.
alter table millrace.outbox
  drop constraint message_id_must_be_a_uuid_v7_within_a_day_of_now,
  drop constraint aggregate_type_must_have_1_to_200_characters,
  drop constraint aggregate_id_must_have_1_to_400_characters,
  drop constraint revision_must_not_be_negative,
  drop constraint topic_must_be_1_to_249_of_letters_digits_dot_underscore_hyphen,
  drop constraint message_key_must_have_1_to_1000_characters,
  drop constraint event_type_must_have_1_to_200_characters,
  drop constraint schema_version_must_have_1_to_100_characters,
  drop constraint content_type_must_have_1_to_200_characters,
  drop constraint resolver_must_have_1_to_100_characters,
  drop constraint headers_must_be_at_most_100_pairs_of_texts,
  drop constraint headers_must_have_at_most_16384_characters,
  drop constraint payload_must_not_exceed_payload_bytes_max,
  add constraint message_keeps_the_rules check (
    millrace.keeps_the_rules(topic, aggregate_type, aggregate_id, event_type, payload, revision, message_key,
                             schema_version, content_type, headers, message_id, resolver, created_at)) not valid;
