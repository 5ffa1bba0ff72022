-- Purpose: announce the rows that a table has already, as explicit snapshot messages, in bounded chunks. See
--   docs/migration.md.
--
--   start_backfill   notes what is to be done, in a table millrace_backfill_<table> beside the source
--   backfill_chunk   announces the next rows, in the caller's transaction
--   backfill         a procedure: chunk after chunk, each committed; goes on where the last one ended, whoever stopped it
--   cancel_backfill  has it end after the chunk that it is at; resume_backfill lets it go on
--
-- Called by the table's owner, who must be allowed to append: rows are read with the caller's rights, never Millrace's.
-- Tables written: outbox, one row for each row of the source; the backfill's own, one row.
-- Errors: 22023 naming the field, what it must be and what was found; 55000 in a state that does not allow it.
--
-- Why a live change is never overtaken, nor overtakes: a chunk first locks its rows (FOR NO KEY UPDATE), which waits for
-- their open changes and reads what these left, and then draws the messages' ids. Whoever changes a row next draws a
-- greater id. Live changes must be announced before the backfill starts: a row that it does not meet, because it is new
-- or its key has moved, is one that was announced.
-- Why the range is read before it is locked: a row whose key has moved meanwhile must not take the position along.

-- Where the backfill of a table is noted.
create or replace function millrace.backfill_table(p_source regclass) returns text
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select format('%I.%I', n.nspname, ('millrace_backfill_' || c.relname)::name)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = p_source
  $$;

create or replace function millrace.backfill_problem(
  p_source regclass, p_topic text, p_aggregate_type text, p_columns text[], p_revision_column text, p_prefix text,
  p_payload regprocedure) returns text
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select coalesce(
      millrace.capture_source_problem(p_source),
      case when millrace.capture_key(p_source) is null then
        format('source must have a primary key, which the backfill follows; %s has none', p_source) end,
      millrace.capture_name_problem(p_topic, p_aggregate_type, p_prefix),
      millrace.capture_column_problem(p_source, millrace.capture_key(p_source), p_columns, p_revision_column),
      (select format('payload must be a function of one row of %s that returns bytea, text, json or jsonb, found %s',
                     p_source, p_payload)
       from pg_proc f
       where f.oid = p_payload
         and not (f.pronargs = 1 and f.prokind = 'f' and not f.proretset
                  and f.proargtypes[0] = (select c.reltype from pg_class c where c.oid = p_source)
                  and f.prorettype in ('bytea'::regtype, 'text'::regtype, 'json'::regtype, 'jsonb'::regtype))))
  $$;

-- The condition that a row's key is greater than a position (an array of texts); every row's is if that is null.
create or replace function millrace.backfill_after(p_source regclass, p_position text) returns text
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select format('(%1$s is null or (%2$s) > (%3$s))', p_position,
      string_agg(format('t.%I', k.name), ', ' order by k.n),
      string_agg(format('(%s)[%s]::%s', p_position, k.n, format_type(a.atttypid, a.atttypmod)), ', ' order by k.n))
    from unnest(millrace.capture_key(p_source)) with ordinality k(name, n)
    join pg_attribute a on a.attrelid = p_source and a.attname = k.name
  $$;

-- The statement of one chunk. $1: the position, null at the beginning; $2: the end of the range, included. It returns one
-- row: ids, payloads and revisions of the locked rows, in the order of their keys.
create or replace function millrace.backfill_statement(
  p_source regclass, p_columns text[], p_revision_column text, p_payload regprocedure) returns text
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select format(
      'with locked as materialized (select t from %8$s t where %1$s and not %2$s order by %3$s'
      ' for no key update of t) '
      'select array_agg(%4$s order by %5$s), array_agg(%6$s order by %5$s), array_agg(%7$s order by %5$s) from locked',
      millrace.backfill_after(p_source, '$1'), millrace.backfill_after(p_source, '$2'),
      string_agg(format('t.%I', k.name), ', ' order by k.n),
      string_agg(case when cardinality(millrace.capture_key(p_source)) = 1 then format('(t).%I::text', k.name)
          else format($part$replace(replace((t).%I::text, '%%', '%%25'), '/', '%%2F')$part$, k.name) end,
        $glue$ || '/' || $glue$ order by k.n),
      string_agg(format('(t).%I', k.name), ', ' order by k.n),
      coalesce(
        (select format(case when f.prorettype = 'bytea'::regtype then '%1$s(t)' else 'convert_to(%1$s(t)::text, ''UTF8'')' end,
                       f.oid::regproc)
         from pg_proc f where f.oid = p_payload),
        (select format($json$convert_to('{"before":null,"after":' ||
                         (select row_to_json(r.*)::text from (select %s) r) || '}', 'UTF8')$json$,
                       string_agg(format('(t).%I', c.name), ', ' order by c.n))
         from unnest(p_columns) with ordinality c(name, n))),
      case when p_revision_column is null then 'null::bigint' else format('(t).%I::bigint', p_revision_column) end,
      p_source)
    from unnest(millrace.capture_key(p_source)) with ordinality k(name, n)
  $$;

-- columns: what is sent, null: all that can be sent, as {"before":null,"after":{...}}. payload: instead, a function that
--   makes the payload of a row. event_prefix: of .snapshot; null: the aggregate type.
-- A backfill that is done or cancelled is begun anew; one that runs is refused.
-- Rows returned: one: the name of the table that shows how far it is.
create or replace function millrace.start_backfill(
  source          regclass,
  topic           text,
  aggregate_type  text,
  columns         text[]       default null,
  revision_column text         default null,
  event_prefix    text         default null,
  payload         regprocedure default null)
returns text
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
declare
  noted text := millrace.backfill_table(start_backfill.source);
  sent text[] := coalesce(start_backfill.columns, millrace.capture_columns(start_backfill.source));
  prefix text := coalesce(start_backfill.event_prefix, start_backfill.aggregate_type);
  problem text := millrace.backfill_problem(
    start_backfill.source, start_backfill.topic, start_backfill.aggregate_type, sent, start_backfill.revision_column,
    prefix, start_backfill.payload);
  state text;
begin
  if problem is not null then
    raise exception using errcode = 'invalid_parameter_value', message = 'millrace.start_backfill: ' || problem;
  end if;
  execute format(
    'create table if not exists %s (singleton boolean primary key default true check (singleton), '
    'state text not null check (state in (''running'', ''cancelled'', ''done'')), topic text not null, '
    'aggregate_type text not null, event_type text not null, columns text[] not null, revision_column text, '
    'payload text, rows_done bigint not null, rows_estimated bigint, position text[], '
    'started_at timestamptz not null, moved_at timestamptz not null) with (fillfactor = 50)', noted);
  execute format('select b.state from %s b for update', noted) into state;
  if state = 'running' then
    raise exception using errcode = 'object_not_in_prerequisite_state', message = format(
      'millrace.start_backfill: the backfill of %s is running: let millrace.backfill go on, or cancel it first',
      start_backfill.source);
  end if;
  execute format('delete from %s', noted);
  execute format(
    'insert into %s (state, topic, aggregate_type, event_type, columns, revision_column, payload, rows_done, '
    'rows_estimated, started_at, moved_at) '
    'select ''running'', $2, $3, $4, $5, $6, $7, 0, sum(nullif(greatest(c.reltuples, 0), 0))::bigint, clock_timestamp(), '
    'clock_timestamp() from pg_class c '
    'where c.oid = $1 or c.oid in (select p.relid from pg_partition_tree($1) p where p.isleaf)', noted)
  using start_backfill.source, start_backfill.topic, start_backfill.aggregate_type, prefix || '.snapshot', sent,
    start_backfill.revision_column, start_backfill.payload::text;
  return noted;
end
$$;

-- rows_max: 1 to 10000. Rows returned: one: how many messages were appended, and the backfill's state after it.
-- Locks: the backfill's row, then the rows of the chunk in the order of their keys, until the caller's transaction ends.
--   A row that is locked by another transaction is waited for 200 ms; then 55P03 (lock not available), and nothing is done.
create or replace function millrace.backfill_chunk(source regclass, rows_max integer default 500)
returns table (appended integer, state text)
  language plpgsql volatile set search_path = pg_catalog, pg_temp set lock_timeout = '200ms'
  set timezone = 'UTC' set datestyle = 'ISO, YMD' set intervalstyle = 'iso_8601' set bytea_output = 'hex'
  set extra_float_digits = 1 set lc_monetary = 'C' set xmlbinary = 'base64'
  -- A policy that hides rows is an error rather than a backfill that leaves them out.
  set row_security = off
  as $$
declare
  noted text := millrace.backfill_table(backfill_chunk.source);
  work record;
  range_end text[];
  ids text[];
  payloads bytea[];
  revisions bigint[];
  problem text;
begin
  if backfill_chunk.rows_max not between 1 and 10000 then
    raise exception using errcode = 'invalid_parameter_value', message = format(
      'millrace.backfill_chunk: rows_max must be 1 to 10000, found %s', backfill_chunk.rows_max);
  end if;
  if to_regclass(noted) is null then
    raise exception using errcode = 'object_not_in_prerequisite_state', message = format(
      'millrace.backfill_chunk: there is no backfill of %s: call millrace.start_backfill first', backfill_chunk.source);
  end if;
  execute format('select b.* from %s b for update', noted) into work;
  if work.state is distinct from 'running' then
    return query select 0, work.state;
    return;
  end if;
  execute format(
    'select array[%s] from (select t.* from %s t where %s order by %s limit $2) t order by %s limit 1',
    millrace.backfill_keys(backfill_chunk.source, '::text'), backfill_chunk.source,
    millrace.backfill_after(backfill_chunk.source, '$1'), millrace.backfill_keys(backfill_chunk.source, ''),
    millrace.backfill_keys(backfill_chunk.source, ' desc'))
  into range_end using work.position, backfill_chunk.rows_max;
  if range_end is null then
    execute format('update %s set state = ''done'', moved_at = clock_timestamp()', noted);
    return query select 0, 'done';
    return;
  end if;
  execute millrace.backfill_statement(
    backfill_chunk.source, work.columns, work.revision_column, work.payload::regprocedure)
  into ids, payloads, revisions using work.position, range_end;
  select case
      when length(r.id) not between 1 and 400 then
        format('the aggregate''s id must have 1 to 400 characters, found %s in %L', length(r.id), left(r.id, 100))
      when octet_length(r.payload) > millrace.payload_bytes_max() then
        format('the message of %s %L must have at most %s bytes, found %s', work.aggregate_type, left(r.id, 100),
               millrace.payload_bytes_max(), octet_length(r.payload))
      when r.revision < 0 then
        format('the revision of %s %L must not be negative, found %s', work.aggregate_type, left(r.id, 100), r.revision)
    end into problem
  from unnest(ids, payloads, revisions) r(id, payload, revision)
  where length(r.id) not between 1 and 400 or octet_length(r.payload) > millrace.payload_bytes_max() or r.revision < 0
  limit 1;
  if problem is not null then
    raise exception using errcode = 'invalid_parameter_value', message = format(
      'millrace.backfill_chunk of %s: %s', backfill_chunk.source, problem);
  end if;
  insert into millrace.outbox (aggregate_type, aggregate_id, revision, topic, event_type, payload)
  select work.aggregate_type, r.id, r.revision, work.topic, work.event_type, r.payload
  from unnest(ids, payloads, revisions) with ordinality r(id, payload, revision, n)
  order by r.n;
  execute format('update %s set position = $1, rows_done = rows_done + $2, moved_at = clock_timestamp()', noted)
  using range_end, coalesce(cardinality(ids), 0);
  return query select coalesce(cardinality(ids), 0), 'running';
end
$$;

-- The key's columns in their order, each followed by a text.
create or replace function millrace.backfill_keys(p_source regclass, p_suffix text) returns text
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select string_agg(format('t.%I%s', k.name, p_suffix), ', ' order by k.n)
    from unnest(millrace.capture_key(p_source)) with ordinality k(name, n)
  $$;

-- Not in a transaction block: it commits. rows_max: of a chunk; halved while rows are locked by others. pause_ms: between
-- two chunks, so that live messages, which wait behind snapshots of their shard, do not wait long; 0 to 60000.
-- Errors: 55P03 when a row has stayed locked by another transaction for 100 attempts: call it again when that one has ended.
create or replace procedure millrace.backfill(source regclass, rows_max integer default 500, pause_ms integer default 100)
  language plpgsql
  as $$
declare
  rows_now integer := backfill.rows_max;
  in_vain integer := 0;
  found_state text;
begin
  if backfill.pause_ms not between 0 and 60000 then
    raise exception using errcode = 'invalid_parameter_value', message = pg_catalog.format(
      'millrace.backfill: pause_ms must be 0 to 60000, found %s', backfill.pause_ms);
  end if;
  loop
    begin
      select c.state into found_state from millrace.backfill_chunk(backfill.source, rows_now) c;
      in_vain := 0;
      rows_now := least(rows_now * 2, backfill.rows_max);
    exception when lock_not_available or deadlock_detected or serialization_failure then
      in_vain := in_vain + 1;
      if in_vain >= 100 then
        raise;
      end if;
      found_state := 'running';
      rows_now := greatest(rows_now / 2, 1);
    end;
    commit;
    exit when found_state is distinct from 'running';
    perform pg_catalog.pg_sleep(greatest(backfill.pause_ms, case when in_vain > 0 then 50 else 0 end) / 1000.0);
  end loop;
end
$$;

-- Rows returned: whether it was running.
create or replace function millrace.cancel_backfill(source regclass) returns boolean
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
begin
  return millrace.backfill_turn(cancel_backfill.source, 'running', 'cancelled');
end
$$;

-- Rows returned: whether it was cancelled. Call millrace.backfill then.
create or replace function millrace.resume_backfill(source regclass) returns boolean
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
begin
  return millrace.backfill_turn(resume_backfill.source, 'cancelled', 'running');
end
$$;

create or replace function millrace.backfill_turn(p_source regclass, p_from text, p_to text) returns boolean
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
declare
  turned integer;
begin
  if to_regclass(millrace.backfill_table(p_source)) is null then
    return false;
  end if;
  execute format('update %s set state = $2, moved_at = clock_timestamp() where state = $1',
                 millrace.backfill_table(p_source)) using p_from, p_to;
  get diagnostics turned = row_count;
  return turned > 0;
end
$$;
revoke execute on function millrace.backfill_table, millrace.backfill_problem, millrace.backfill_statement,
  millrace.backfill_after, millrace.backfill_keys, millrace.start_backfill, millrace.backfill_chunk,
  millrace.cancel_backfill, millrace.resume_backfill, millrace.backfill_turn from public;
revoke execute on procedure millrace.backfill from public;
grant execute on function millrace.backfill_table, millrace.backfill_problem, millrace.backfill_statement,
  millrace.backfill_after, millrace.backfill_keys, millrace.start_backfill, millrace.backfill_chunk,
  millrace.cancel_backfill, millrace.resume_backfill, millrace.backfill_turn to millrace_writer;
grant execute on procedure millrace.backfill to millrace_writer;
