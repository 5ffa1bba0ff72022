-- Purpose: may Millrace's relay publish, and can the replication slot that publishes instead be believed?

-- Publications by which a subscriber receives what is inserted into the outbox.
-- Not callable by itself. Rows returned: their names. Locks: none.
create or replace function millrace.outbox_publications() returns setof name
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select p.pubname from pg_publication p
    where p.pubinsert and (
      p.puballtables
      or exists (select from pg_publication_namespace n
                 where n.pnpubid = p.oid and n.pnnspid = 'millrace'::regnamespace)
      or exists (select from pg_publication_rel r
                 where r.prpubid = p.oid
                   and (r.prrelid = 'millrace.outbox'::regclass
                        or exists (select from pg_inherits i
                                   where i.inhparent = 'millrace.outbox'::regclass and i.inhrelid = r.prrelid))))
    order by p.pubname
  $$;

-- Why Millrace's relay must not publish now. A replication slot of pgoutput names no publication until its reader comes, so
-- one of this database counts as a second publisher as soon as a publication contains the outbox, unless an operator has
-- permitted it. The one that a switch to Debezium waits with may be there, but not be read.
-- Rows returned: one: null when it may publish, else the reason for people, with what to do. Locks: none.
create or replace function millrace.relay_refusal() returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  current record;
  publication name;
  other record;
begin
  select p.publisher, p.next_publisher, p.replication_slot, p.changed_at into current from millrace.publishing p;
  if current.publisher = 'debezium' then
    return format('Debezium publishes the outbox since %s, through the replication slot %s: set relay.enabled to false, '
                  'or go back by millrace.use_relay', date_trunc('second', current.changed_at), current.replication_slot);
  end if;
  select p into publication from millrace.outbox_publications() p limit 1;
  if not found then
    return null;
  end if;
  select r.slot_name, r.active into other from pg_replication_slots r
  where r.slot_type = 'logical' and r.plugin = 'pgoutput' and r.database = current_database()
    -- Neither one that is still being made, which waits for open transactions, nor one that the server has given up, nor those
    -- that PostgreSQL's own subscriptions make for a table's first copy publishes anything.
    and r.confirmed_flush_lsn is not null and r.wal_status is distinct from 'lost'
    and r.slot_name !~ '^pg_[0-9]+_sync_[0-9]+_[0-9]+$'
    and (current.next_publisher = 'debezium' and not r.active
         and r.slot_name = coalesce(current.replication_slot, r.slot_name)) is not true
    and not exists (select from millrace.permitted_replication_slot e where e.replication_slot = r.slot_name)
  order by r.active desc, r.slot_name limit 1;
  if not found then
    return null;
  end if;
  return format('the replication slot %s may publish the outbox too, by the publication %s: %s', other.slot_name, publication,
                case when other.slot_name is not distinct from current.replication_slot
                     then 'stop its reader until millrace.use_debezium returns null'
                     else 'drop it, take the outbox out of the publication, or, if it serves something else, call '
                          'millrace.permit_replication_slot' end);
end
$$;

-- What an accidental successor of a replication slot does not have: Debezium, which makes a missing one anew, gives it
-- neither of these by default. Null: nothing. Not callable by itself.
create or replace function millrace.replication_slot_mark(p_replication_slot text) returns text
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select case when r.two_phase then 'two_phase' when (to_jsonb(r) ->> 'failover')::boolean then 'failover' end
    from pg_replication_slots r where r.slot_name = p_replication_slot
  $$;

-- Whether the publication is as millrace.prepare_debezium has made it: everything that is inserted, and nothing else.
-- Not callable by itself.
create or replace function millrace.publication_is_whole() returns boolean
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    select exists (
      select from pg_publication p join pg_publication_rel r on r.prpubid = p.oid
      where p.pubname = 'millrace_outbox' and r.prrelid = 'millrace.outbox'::regclass and r.prqual is null
        and r.prattrs is null and p.pubviaroot and p.pubinsert and not (p.pubupdate or p.pubdelete or p.pubtruncate))
  $$;

-- Why a replication slot cannot be one that Debezium reads the outbox by; null: it can. Not callable by itself.
create or replace function millrace.replication_slot_fault(p_replication_slot text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp
  as $$
declare
  found_slot record;
begin
  select r.slot_type, r.plugin, r.database, r.temporary, r.wal_status, r.confirmed_flush_lsn,
         to_jsonb(r) ->> 'invalidation_reason' as invalidation_reason
  into found_slot from pg_replication_slots r where r.slot_name = p_replication_slot;
  return case
    when found_slot is null or found_slot.slot_type is null then
      format('there is no replication slot %s', p_replication_slot)
    when found_slot.slot_type <> 'logical' or found_slot.plugin <> 'pgoutput'
         or found_slot.database <> current_database() or found_slot.temporary then
      format('the replication slot %s must be a lasting logical one of pgoutput in the database %s, found %s%s%s',
             p_replication_slot, current_database(), case when found_slot.temporary then 'a temporary one, ' else '' end,
             found_slot.slot_type,
             coalesce(' of ' || found_slot.plugin || ' in the database ' || found_slot.database, ''))
    when found_slot.wal_status = 'lost' or found_slot.invalidation_reason is not null
         or found_slot.confirmed_flush_lsn is null then
      format('the server has invalidated the replication slot %s%s', p_replication_slot,
             coalesce(' (' || found_slot.invalidation_reason || ')', ''))
  end;
end
$$;

-- Why the replication slot cannot tell any more what is published; null: it can, or Millrace's relay publishes.
-- Rows returned: one. Locks: none.
create or replace function millrace.replication_slot_problem() returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  current record;
  fault text;
begin
  select p.replication_slot, p.slot_mark, p.broken into current from millrace.publishing p where p.publisher = 'debezium';
  if not found then
    return null;
  end if;
  fault := coalesce(current.broken, millrace.replication_slot_fault(current.replication_slot));
  if fault is null and millrace.replication_slot_mark(current.replication_slot) is distinct from current.slot_mark then
    fault := format('the replication slot %s has been made anew: what was committed before is not in it',
                    current.replication_slot);
  end if;
  if fault is null and not millrace.publication_is_whole() then
    fault := 'the publication millrace_outbox is not as millrace.prepare_debezium has made it: what was committed meanwhile '
             'may be in no stream';
  end if;
  return fault;
end
$$;

-- Remembers that the replication slot could not be believed: it may be made anew before the next look.
-- Rows returned: one: null when all is well, else why not. Tables written: publishing. Locks: the maintenance row.
create or replace function millrace.ring_check_publishing(p_token uuid, p_lock_timeout_ms integer) returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
declare
  problem text;
begin
  perform millrace.maintenance_fence(p_token, p_lock_timeout_ms);
  problem := millrace.replication_slot_problem();
  if problem is not null then
    update millrace.publishing set broken = problem where publisher = 'debezium' and broken is null;
  end if;
  return problem;
end
$$;

-- An operator says that a replication slot publishes nothing of the outbox, or takes that back.
-- Rows returned: whether that is new. Tables written: permitted_replication_slot, audit.
-- Errors: 22023 without an actor or a name.
create or replace function millrace.permit_replication_slot(
  p_replication_slot text, p_actor text, p_reason text default null, p_permitted boolean default true)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
begin
  if coalesce(trim(p_actor), '') = '' then
    raise exception 'permitting a replication slot needs the name of who asks for it, found none'
      using errcode = 'invalid_parameter_value';
  end if;
  if coalesce(length(p_replication_slot), 0) not between 1 and 63 then
    raise exception 'the name of a replication slot must have 1 to 63 characters, found %',
      coalesce(length(p_replication_slot), 0) using errcode = 'invalid_parameter_value';
  end if;
  if p_permitted then
    insert into millrace.permitted_replication_slot (replication_slot) values (p_replication_slot) on conflict do nothing;
  else
    delete from millrace.permitted_replication_slot where replication_slot = p_replication_slot;
  end if;
  if not found then
    return false;
  end if;
  insert into millrace.audit (actor, act, reason, detail)
  values (p_actor, case when p_permitted then 'permit_replication_slot' else 'forbid_replication_slot' end, p_reason,
          jsonb_build_object('replication_slot', p_replication_slot));
  return true;
end
$$;

revoke execute on function millrace.outbox_publications, millrace.publication_is_whole, millrace.relay_refusal, millrace.replication_slot_mark,
  millrace.replication_slot_fault, millrace.replication_slot_problem, millrace.ring_check_publishing,
  millrace.permit_replication_slot from public;
grant execute on function millrace.relay_refusal, millrace.replication_slot_problem
  to millrace_relay, millrace_maintenance, millrace_reader, millrace_operator;
grant execute on function millrace.ring_check_publishing to millrace_maintenance;
grant execute on function millrace.permit_replication_slot to millrace_operator;
