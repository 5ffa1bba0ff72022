-- Purpose: an operator takes a shard out of work and puts it back. A paused shard is claimed by nobody; its owner settles
--   what is in flight, writes its receipt and gives it back at its next look. Its messages wait, in their order, and hold
--   their slots; maintenance carries its receipts forward.
-- Rows returned: whether the shard changed; false: it was paused, or not paused, already.
-- Tables written: shard, audit. Locks: the shard's row.
-- Errors: 22023 without an actor, or for a shard that there is not.
create or replace function millrace.pause_shard(p_shard integer, p_actor text, p_reason text default null)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$ begin return millrace.set_shard_paused(p_shard, true, p_actor, p_reason); end $$;

create or replace function millrace.resume_shard(p_shard integer, p_actor text, p_reason text default null)
returns boolean
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$ begin return millrace.set_shard_paused(p_shard, false, p_actor, p_reason); end $$;

-- Not callable by itself.
create or replace function millrace.set_shard_paused(p_shard integer, p_paused boolean, p_actor text, p_reason text)
returns boolean
  language plpgsql volatile set search_path = pg_catalog, pg_temp
  as $$
declare
  act text := case when p_paused then 'pause_shard' else 'resume_shard' end;
begin
  if coalesce(trim(p_actor), '') = '' then
    raise exception '% needs the name of who asks for it, found none', act using errcode = 'invalid_parameter_value';
  end if;
  perform 1 from millrace.shard where shard = p_shard;
  if not found then
    raise exception 'shard must be 0 to %, found %', millrace.shard_count() - 1, coalesce(p_shard::text, 'null')
      using errcode = 'invalid_parameter_value';
  end if;
  update millrace.shard set paused = p_paused where shard = p_shard and paused <> p_paused;
  if not found then
    return false;
  end if;
  insert into millrace.audit (actor, act, reason, detail)
  values (p_actor, act, p_reason, jsonb_build_object('shard', p_shard));
  return true;
end
$$;

revoke execute on function millrace.pause_shard, millrace.resume_shard, millrace.set_shard_paused from public;
grant execute on function millrace.pause_shard, millrace.resume_shard to millrace_operator;
grant select on millrace.shard to millrace_operator;
