-- Purpose: hand out the next revision of an aggregate that has no version column of its own, locking the aggregate
--   until the transaction ends. Call it in an earlier statement or CTE than the append, never in the outbox INSERT's
--   own VALUES: the message id would be drawn before the lock.
-- expected: the revision that the caller has seen (0: none yet), or null for any.
-- Rows returned: the new revision: 1 for a new aggregate.
-- Tables written: revision. Locks: the aggregate's row.
-- Errors: 23505 when the aggregate is not at the expected revision.
create or replace function millrace.next_revision(
  aggregate_type text,
  aggregate_id   text,
  expected       bigint default null)
returns bigint
  language plpgsql volatile
  as $$
declare
  handed_out bigint;
  found_revision bigint;
begin
  insert into millrace.revision as r (aggregate_type, aggregate_id, revision)
  select next_revision.aggregate_type, next_revision.aggregate_id, 1
  where coalesce(next_revision.expected, 0) = 0
  on conflict on constraint revision_pkey do update set revision = r.revision + 1
    where next_revision.expected is null
  returning r.revision into handed_out;
  if handed_out is null and next_revision.expected > 0 then
    update millrace.revision r set revision = r.revision + 1
    where r.aggregate_type = next_revision.aggregate_type
      and r.aggregate_id = next_revision.aggregate_id
      and r.revision = next_revision.expected
    returning r.revision into handed_out;
  end if;
  if handed_out is null then
    select r.revision into found_revision from millrace.revision r
    where r.aggregate_type = next_revision.aggregate_type and r.aggregate_id = next_revision.aggregate_id;
    raise exception using errcode = 'unique_violation', message = format(
      'millrace.next_revision: %s %s was expected at revision %s, found %s',
      next_revision.aggregate_type, next_revision.aggregate_id, next_revision.expected, coalesce(found_revision, 0));
  end if;
  return handed_out;
end
$$;
revoke execute on function millrace.next_revision from public;
grant execute on function millrace.next_revision to millrace_writer;
