-- Purpose: announce the changes that others make to a layer's table, by triggers: desktop tools, bulk imports. Writers need
--   not know of Millrace and need no grant of it; the version column is kept for them.
-- capture: called by the table's owner (or a member of it), who must be allowed to append; a second call replaces the first,
--   and is needed when the layer is registered with other columns. Before: every INSERT and UPDATE of a row sets its
--   version. After: the message, with the points that stand for the old and the new geometry; the relay makes cells of them.
-- Rows returned: none by capture; release_capture tells whether it was captured.
-- Tables written: none; makes two functions in the table's schema, owned by its owner, and three triggers.
-- Locks: SHARE ROW EXCLUSIVE on the table and its partitions (ACCESS EXCLUSIVE for the release) until the caller's
--   transaction ends, waited for at most 2 s: call it in a transaction of its own.
-- Errors: 22023 naming what it must be and what was found; 42704 no such layer.
-- The functions run with the rights of the table's owner, as those of millrace.capture do and for the same reason.
create or replace function millrace_spatial.capture(layer text) returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
  as $$
declare
  its millrace_spatial.layer := millrace_spatial.layer_of(capture.layer);
  owner oid;
  problem text;
begin
  select c.relowner into owner from pg_class c where c.oid = its.source;
  problem := case
    when not pg_has_role(current_user, owner, 'usage') then
      format('only the owner of %s may capture it: %s, found %s', its.source, pg_get_userbyid(owner), current_user)
    when not (has_schema_privilege(owner, 'millrace_spatial', 'usage')
              and has_any_column_privilege(owner, 'millrace.outbox', 'insert')) then
      format('the owner of %s must be allowed to append: grant millrace_writer to %I', its.source, pg_get_userbyid(owner))
  end;
  if problem is not null then
    raise exception using errcode = 'invalid_parameter_value', message = 'millrace_spatial.capture: ' || problem;
  end if;
  execute format('lock table only %s in share row exclusive mode', its.source);
  perform millrace_spatial.release_capture(capture.layer);
  call millrace_spatial.capture_make(its);
end
$$;

create or replace function millrace_spatial.release_capture(layer text) returns boolean
  language plpgsql volatile set search_path = pg_catalog, pg_temp set lock_timeout = '2s'
  as $$
declare
  its millrace_spatial.layer := millrace_spatial.layer_of(release_capture.layer);
  made record;
  was_captured boolean := false;
begin
  for made in
    select t.tgname, t.tgrelid::regclass as part, t.tgfoid::regprocedure as function, t.tgrelid = its.source as is_root
    from pg_trigger t
    where t.tgparentid = 0 and t.tgname in ('0_millrace_spatial', '~millrace_spatial_version', '0_millrace_spatial_truncate')
      and (t.tgrelid = its.source or t.tgrelid in (select p.relid from pg_partition_tree(its.source) p))
  loop
    was_captured := true;
    execute format('drop trigger %I on %s', made.tgname, made.part);
    if made.is_root and made.tgname <> '0_millrace_spatial_truncate' then
      execute format('drop function %s', made.function);
    end if;
  end loop;
  return was_captured;
end
$$;

create or replace procedure millrace_spatial.capture_make(p_layer millrace_spatial.layer)
  language plpgsql set search_path = pg_catalog, pg_temp
  as $$
declare
  place text;
  relation text;
  owner text;
  part regclass;
  made text;
begin
  select n.nspname, c.relname, format('%I', pg_get_userbyid(c.relowner)) into place, relation, owner
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = p_layer.source;
  foreach made in array array['version', 'capture'] loop
    execute format(
      'create function %1$I.%2$I() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp '
      'set extra_float_digits = 1 as %3$L', place, ('millrace_spatial_' || made || '_' || relation)::name,
      millrace_spatial.capture_body(p_layer, made));
    execute format('revoke execute on function %I.%I() from public', place,
                   ('millrace_spatial_' || made || '_' || relation)::name);
    execute format('alter function %I.%I() owner to %s', place, ('millrace_spatial_' || made || '_' || relation)::name, owner);
  end loop;
  -- Triggers fire in the order of their names: the last to change the row, the first to tell of it.
  execute format('create trigger "~millrace_spatial_version" before insert or update on %s for each row '
                 'execute function %I.%I()', p_layer.source, place, ('millrace_spatial_version_' || relation)::name);
  execute format('create trigger "0_millrace_spatial" after insert or update or delete on %s for each row '
                 'execute function %I.%I()', p_layer.source, place, ('millrace_spatial_capture_' || relation)::name);
  for part in select p_layer.source union select t.relid from pg_partition_tree(p_layer.source) t loop
    execute format('create trigger "0_millrace_spatial_truncate" before truncate on %s for each statement '
                   'execute function millrace_spatial.refuse_truncate()', part);
  end loop;
end
$$;

create or replace function millrace_spatial.capture_body(p_layer millrace_spatial.layer, p_which text) returns text
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select format(case p_which when 'version' then $version$
begin
  if tg_op = 'UPDATE' then
    if new.%1$I = old.%1$I then
      new.%2$I := coalesce(old.%2$I, 0) + 1;
      return new;
    end if;
  end if;
  new.%2$I := millrace_spatial.last_version(%4$L, new.%1$I::text) + 1;
  return new;
end$version$ else $capture$
begin
  if tg_op = 'INSERT' then
    perform millrace_spatial.capture_change(%4$L, null, new.%1$I::text, null, new.%2$I, null, new.%3$I);
  elsif tg_op = 'DELETE' then
    perform millrace_spatial.capture_change(%4$L, old.%1$I::text, null, old.%2$I, null, old.%3$I, null);
  else
    perform millrace_spatial.capture_change(%4$L, old.%1$I::text, new.%1$I::text, old.%2$I, new.%2$I, old.%3$I, new.%3$I);
  end if;
  return null;
end$capture$ end, p_layer.id_column, p_layer.version_column, p_layer.geometry_column, p_layer.name)
  $$;

-- The last version of a feature that was retired; 0: none was.
create or replace function millrace_spatial.last_version(p_layer text, p_feature_id text) returns bigint
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select coalesce((select r.version from millrace_spatial.retired r
                     where r.layer = p_layer and r.feature_id = p_feature_id), 0)
  $$;

-- What the trigger calls for every row. Functions in other schemas call it: its signature stays.
create or replace function millrace_spatial.capture_change(
  p_layer text, p_old_id text, p_new_id text, p_old_version bigint, p_new_version bigint,
  p_before ${postgis}.geometry, p_after ${postgis}.geometry) returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
declare
  layer millrace_spatial.layer := millrace_spatial.layer_of(p_layer);
  gone bigint := p_old_version + 1;
begin
  if p_old_id = p_new_id then
    perform millrace_spatial.capture_append(layer, p_new_id, p_new_version, true, true, p_before, p_after);
    return;
  end if;
  if p_old_id is not null then
    insert into millrace_spatial.retired as r (layer, feature_id, version) values (p_layer, p_old_id, gone)
    on conflict on constraint retired_pkey do update set version = excluded.version;
    perform millrace_spatial.capture_append(layer, p_old_id, gone, true, false, p_before, null);
  end if;
  if p_new_id is not null then
    if millrace_spatial.last_version(p_layer, p_new_id) >= p_new_version then
      raise exception using errcode = 'serialization_failure', message = format(
        'feature %s of layer %s was retired meanwhile: repeat the change', p_new_id, p_layer);
    end if;
    perform millrace_spatial.capture_append(layer, p_new_id, p_new_version, false, true, null, p_after);
  end if;
end
$$;

-- The messages of one change: one, or a second one for the cell that may have been left. Whether it was, the relay finds.
create or replace function millrace_spatial.capture_append(
  p_layer millrace_spatial.layer, p_id text, p_version bigint, p_was_there boolean, p_is_there boolean,
  p_before ${postgis}.geometry, p_after ${postgis}.geometry) returns void
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
declare
  before double precision[] := millrace_spatial.origin_or_none(p_before, p_layer.origin);
  after double precision[] := millrace_spatial.origin_or_none(p_after, p_layer.origin);
begin
  insert into millrace.outbox (aggregate_type, aggregate_id, revision, topic, event_type, schema_version, content_type,
    payload, resolver)
  select p_layer.aggregate_type, p_id, p_version, p_layer.topic,
         p_layer.aggregate_type || case when not p_was_there then '.create' when p_is_there then '.change' else '.retire' end,
         p_layer.schema_version, 'application/geo+json',
         convert_to(json_build_object('layer', p_layer.name, 'event_version', p_version, 'was_there', p_was_there,
           'is_there', p_is_there, 'origin_before', before, 'origin', after, 'resolution', p_layer.resolution,
           'key', k.key, 'occurred_at', millrace_spatial.time_text(clock_timestamp()))::text, 'UTF8'),
         'spatial'
  from (values (1, case p_layer.record_key when 'routing_key' then 'routing_key' else 'as_appended' end), (2, 'left_cell'))
    k(n, key)
  where k.n = 1 or p_layer.announce_left and p_was_there and p_is_there and before is distinct from after
  order by k.n;
end
$$;

-- A tool that knows nothing of Millrace is not stopped by a geometry that stands nowhere: the relay will find it, too.
create or replace function millrace_spatial.origin_or_none(p_geometry ${postgis}.geometry, p_origin text)
returns double precision[]
  language plpgsql stable set search_path = pg_catalog, pg_temp
  as $$
begin
  return millrace_spatial.origin(p_geometry, p_origin);
exception when invalid_parameter_value or internal_error then
  return null;
end
$$;

-- TRUNCATE gives no row to a trigger: nothing could be announced.
create or replace function millrace_spatial.refuse_truncate() returns trigger
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
begin
  raise exception using errcode = 'feature_not_supported', message = format(
    '%s is captured by millrace_spatial, and TRUNCATE cannot be announced: use DELETE, or release the capture first',
    tg_relid::regclass);
end
$$;

revoke execute on function millrace_spatial.capture, millrace_spatial.release_capture, millrace_spatial.capture_body,
  millrace_spatial.last_version, millrace_spatial.capture_change, millrace_spatial.capture_append,
  millrace_spatial.origin_or_none from public;
revoke execute on procedure millrace_spatial.capture_make from public;
grant execute on function millrace_spatial.capture, millrace_spatial.release_capture, millrace_spatial.capture_body,
  millrace_spatial.last_version, millrace_spatial.capture_change, millrace_spatial.capture_append,
  millrace_spatial.origin_or_none to millrace_writer;
grant execute on procedure millrace_spatial.capture_make to millrace_writer;
