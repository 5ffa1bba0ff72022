-- Purpose: how millrace.capture writes the function of a table's trigger, and makes both. What the function does with a row
--   beyond turning it into texts is in R__capture_change.sql.
-- Tables written: none. Locks of capture_make: those of CREATE TRIGGER, held by millrace.capture already.

-- The text of the statements that lock the aggregate's row, before the message's id is drawn; empty without a parent.
-- Both rows in the order of their keys when a part moves, so that two moves across do not deadlock. A part that goes with
-- its parent finds no row to lock: this transaction has deleted it, and holds it. With the foreign key's own operators.
create or replace function millrace.capture_lock(p_source regclass, p_id_columns text[], p_parent regclass) returns text
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select case when p_parent is null then '' else (
      select format($lock$
  for is_new in
    select coalesce(%1$s, false) from %2$s p where (%3$s) or (%1$s) order by %4$s for no key update of p
  loop
    locked := locked or is_new;
  end loop;
  if not locked and new_id is not null then
    raise exception using errcode = 'foreign_key_violation',
      message = format('millrace.capture of %%s: %%s has no row for the id %%L yet: insert it first', %5$L, %6$L, new_id);
  end if;$lock$,
        string_agg(format('p.%I operator(%s.%s) new.%I', pk.attname, n.nspname::text, o.oprname, fk.attname), ' and '
                   order by k.n),
        p_parent,
        string_agg(format('p.%I operator(%s.%s) old.%I', pk.attname, n.nspname::text, o.oprname, fk.attname), ' and '
                   order by k.n),
        string_agg(format('p.%I', pk.attname), ', ' order by k.n),
        p_source::text, p_parent::text)
      from pg_constraint f
      cross join lateral unnest(f.conkey, f.confkey, f.conpfeqop) with ordinality k(fk, pk, op, n)
      join pg_attribute fk on fk.attrelid = f.conrelid and fk.attnum = k.fk
      join pg_attribute pk on pk.attrelid = f.confrelid and pk.attnum = k.pk
      join pg_operator o on o.oid = k.op
      join pg_namespace n on n.oid = o.oprnamespace
      where f.oid = millrace.capture_foreign_key(p_source, p_id_columns, p_parent)) end
  $$;

-- The text of the trigger's function. An id of one column is the column's text; of several, their texts joined by '/', with
-- '%' and '/' within them written as %25 and %2F.
create or replace function millrace.capture_body(
  p_source regclass, p_id_columns text[], p_columns text[], p_revision_column text, p_lock text, p_names text)
returns text
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    with piece as (
      select rec.name as rec,
        (select string_agg(case when cardinality(p_id_columns) = 1 then format('%s.%I::text', rec.name, i.name)
             else format($part$replace(replace(%s.%I::text, '%%', '%%25'), '/', '%%2F')$part$, rec.name, i.name) end,
           $glue$ || '/' || $glue$ order by i.n)
         from unnest(p_id_columns) with ordinality i(name, n)) as id,
        (select string_agg(format('%s.%I', rec.name, c.name), ', ' order by c.n)
         from unnest(p_columns) with ordinality c(name, n)) as sent
      from (values ('old'), ('new')) rec(name)
    )
    select format($body$
declare
  old_id text := %1$s;
  new_id text := %2$s;
  before text;
  after text;
  is_new boolean;
  locked boolean := false;
begin
  if tg_op <> 'INSERT' then
    before := (select row_to_json(r.*)::text from (select %3$s) r);
  end if;
  if tg_op <> 'DELETE' then
    after := (select row_to_json(r.*)::text from (select %4$s) r);
  end if;
  if old_id = new_id and before = after then
    return null;
  end if;%5$s
  perform millrace.capture_change(%6$s, old_id, new_id, before, after, %7$s);
  return null;
end$body$,
      gone.id, came.id, gone.sent, came.sent, p_lock, p_names,
      case when p_revision_column is null then 'null, null' else format('old.%1$I, new.%1$I', p_revision_column) end)
    from piece gone, piece came where gone.rec = 'old' and came.rec = 'new'
  $$;

-- The function and the triggers. The settings pin how values are written, whatever the writer's session has.
create or replace procedure millrace.capture_make(p_source regclass, p_body text)
  language plpgsql set search_path = pg_catalog, pg_temp
  as $$
declare
  made text;
  owner text;
  part regclass;
begin
  select format('%I.%I', n.nspname, ('millrace_capture_' || c.relname)::name), format('%I', pg_get_userbyid(c.relowner))
  into made, owner
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = p_source;
  execute format(
    'create function %s() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp '
    'set timezone = ''UTC'' set datestyle = ''ISO, YMD'' set intervalstyle = ''iso_8601'' set bytea_output = ''hex'' '
    'set extra_float_digits = 1 set lc_monetary = ''C'' set xmlbinary = ''base64'' as %L', made, p_body);
  -- Whoever may call it could announce changes of a table of his own in the owner's name.
  execute format('revoke execute on function %s() from public', made);
  execute format('alter function %s() owner to %s', made, owner);
  execute format('create trigger "0_millrace_capture" after insert or update or delete on %s '
                 'for each row execute function %s()', p_source, made);
  for part in select p_source union select t.relid from pg_partition_tree(p_source) t loop
    execute format('create trigger "0_millrace_truncate" before truncate on %s '
                   'for each statement execute function millrace.capture_refuse_truncate()', part);
  end loop;
end
$$;

revoke execute on function millrace.capture_lock, millrace.capture_body from public;
revoke execute on procedure millrace.capture_make from public;
grant execute on function millrace.capture_lock, millrace.capture_body to millrace_writer;
grant execute on procedure millrace.capture_make to millrace_writer;
