-- A slot that is not needed any more leaves the ring in two steps: detached, then dropped with its row.
alter table millrace.slot
  drop constraint slot_state_check,
  add constraint slot_state_check
    check (state in ('attaching', 'free', 'next', 'hot', 'draining', 'published', 'detached'));

-- Earlier nodes do not know that state.
update millrace.compatibility set compatible_from = 12;
