-- Purpose: announce the changes that others make to a table, by a trigger. Writers need not know of Millrace and need no
--   grant of it. See docs/capture.md.
-- source: a table or partitioned table. id_columns: of the aggregate, null: the primary key. columns: what is sent, null:
--   all that the table has now and that can be sent. parent: the table whose row stands for the aggregate, when source
--   holds parts of it. revision_column: an integer. event_prefix: of .created, .updated and .deleted; null: the aggregate
--   type, or with a parent the table's name.
-- Called by the table's owner (or a member of it), who must be allowed to append; a second call replaces the first.
-- Rows returned: one: the columns that are sent.
-- Tables written: none; makes a function in the table's schema, owned by the table's owner, and two triggers.
-- Locks: SHARE ROW EXCLUSIVE on the table and its partitions until the caller's transaction ends, waited for at most 2 s:
--   call it in a transaction of its own.
-- Errors: 22023 naming the field, what it must be and what was found.
--
-- Why a function for every table: it runs with the rights of the table's owner, never with those of Millrace's. What a row's
-- types convert themselves with, and the policies of a parent, are the owner's code.
--
-- Why the order holds. The trigger fires after the row was changed, so the message's id is drawn while the row is locked:
-- whoever changes it next waits, and draws a greater id. A new row has nothing to lock, but an earlier one of the same id
-- may have been deleted by a transaction that is still open: the unique index makes the insert wait for its end. Hence the
-- index is asked for, over columns of the id, neither partial nor deferrable (a deferred check lets the trigger go first).
-- Rows of a part have no lock in common: the trigger locks the parent's row. FOR NO KEY UPDATE excludes other captures and
-- updates of the parent, but not the KEY SHARE that foreign keys take: whoever only refers to the parent does not wait, and
-- two transactions that both do, and then change a part, do not deadlock.
--
-- Why the name of the trigger begins with 0: triggers fire in the order of their names. If another one changed the row
-- again before this one fired, the later change would be announced first.
create or replace function millrace.capture(
  source          regclass,
  topic           text,
  aggregate_type  text,
  id_columns      text[]   default null,
  columns         text[]   default null,
  parent          regclass default null,
  revision_column text     default null,
  event_prefix    text     default null)
returns text[]
  language plpgsql volatile set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
  as $$
declare
  problem text := millrace.capture_source_problem(capture.source);
  ids text[];
  sent text[];
  prefix text := coalesce(capture.event_prefix, case when capture.parent is null then capture.aggregate_type
                                                     else (select c.relname from pg_class c where c.oid = capture.source) end);
begin
  if problem is null then
    execute format('lock table only %s in share row exclusive mode', capture.source);
    ids := coalesce(capture.id_columns, millrace.capture_key(capture.source));
    sent := coalesce(capture.columns, millrace.capture_columns(capture.source));
    problem := coalesce(millrace.capture_name_problem(capture.topic, capture.aggregate_type, prefix),
                        millrace.capture_column_problem(capture.source, ids, sent, capture.revision_column),
                        millrace.capture_lock_problem(capture.source, ids, capture.parent));
  end if;
  if problem is not null then
    raise exception using errcode = 'invalid_parameter_value', message = 'millrace.capture: ' || problem;
  end if;
  perform millrace.release_capture(capture.source);
  call millrace.capture_make(capture.source, millrace.capture_body(
    capture.source, ids, sent, capture.revision_column,
    millrace.capture_lock(capture.source, ids, capture.parent),
    format('%L, %L, %L, %L', capture.source::text, capture.topic, capture.aggregate_type, prefix)));
  return sent;
end
$$;

-- Purpose: end the capture of a table. What was announced stays.
-- Rows returned: whether it was captured. Locks: ACCESS EXCLUSIVE on the table and its partitions, waited for at most 2 s.
create or replace function millrace.release_capture(source regclass) returns boolean
  language plpgsql volatile set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
  as $$
declare
  made oid;
  part regclass;
begin
  select t.tgfoid into made from pg_trigger t
  where t.tgrelid = release_capture.source and t.tgname = '0_millrace_capture';
  if not found then
    return false;
  end if;
  execute format('drop trigger "0_millrace_capture" on %s', release_capture.source);
  for part in
    select t.tgrelid from pg_trigger t
    where t.tgname = '0_millrace_truncate'
      and (t.tgrelid = release_capture.source
           or t.tgrelid in (select p.relid from pg_partition_tree(release_capture.source) p))
  loop
    execute format('drop trigger "0_millrace_truncate" on %s', part);
  end loop;
  execute format('drop function %s', made::regprocedure);
  return true;
end
$$;
revoke execute on function millrace.capture, millrace.release_capture from public;
grant execute on function millrace.capture, millrace.release_capture to millrace_writer;
