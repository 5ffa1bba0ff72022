-- Purpose: add payments to their accounts; an account begins with its first payment.
-- $1 accounts  $2 amounts in cents
-- Rows returned: none. Tables written: bank.account.
-- Locks: the accounts' rows, in the order of the accounts, so that two batches wait for each other and do not deadlock.
insert into bank.account as a (account, balance_cents)
select p.account, sum(p.amount_cents)::bigint
from unnest($1::integer[], $2::bigint[]) p(account, amount_cents)
group by p.account
order by p.account
on conflict (account) do update set balance_cents = a.balance_cents + excluded.balance_cents
