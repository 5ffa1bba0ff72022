-- Purpose: everything that is not as the producer's books say.
-- Parameters: how many events there are, the consumer
-- Rows returned: one a problem. Tables written: none. Locks: none that others wait for.
with given as (select ?::bigint as events, ?::text as consumer),
 wrong as (
   select coalesce(e.account, a.account) as account, coalesce(e.balance_cents, 0) as expected_cents,
          coalesce(a.balance_cents, 0) as found_cents
   from expected_balance e full join bank.account a using (account)
   where e.balance_cents is distinct from a.balance_cents),
 journal as (
   select count(*) as entries, count(distinct event_id) as events from bank.journal),
 unlike as (
   select account, balance_cents, booked_cents
   from bank.account
   full join (select account, sum(amount_cents) as booked_cents from bank.journal group by account) j using (account)
   where balance_cents is distinct from booked_cents)
select format('%s accounts are wrong, by %s cents in total; account %s has %s instead of %s cents', count(*),
              sum(found_cents - expected_cents), min(account),
              (array_agg(found_cents order by account))[1], (array_agg(expected_cents order by account))[1]) as problem
from wrong having count(*) > 0
union all
select format('the journal has %s entries for %s events', entries, events.events)
from journal cross join given as events where entries <> events.events
union all
select format('the journal has %s entries of %s different events', j.entries, j.events)
from journal j where j.entries <> j.events
union all
select format('%s balances are not the sum of their journal entries', count(*)) from unlike having count(*) > 0
union all
select format('%s messages are parked, one of them: %s', count(*), min(p.reason || ': ' || p.error))
from millrace.inbox_parked p cross join given g where p.consumer = g.consumer having count(*) > 0
union all
select format('%s ids are recorded as applied for %s events', i.ids, g.events)
from given g cross join lateral (select count(*) as ids from millrace.inbox where consumer = g.consumer) i
where i.ids <> g.events
