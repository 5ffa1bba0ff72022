-- Purpose: room for what every account must have by the producer's books.
create temporary table expected_balance (account integer primary key, balance_cents bigint not null)
