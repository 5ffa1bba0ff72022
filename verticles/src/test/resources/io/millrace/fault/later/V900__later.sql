-- What a later version may do that nodes of this one go on with: a table, columns, and a function of another signature.
create table millrace.later (n integer primary key);
alter table millrace.slot add column later text;
alter table millrace.shard add column later text;
create function millrace.ring_current(p_later integer) returns smallint
  language sql stable set search_path = pg_catalog, pg_temp
  as 'select millrace.ring_current() + p_later::smallint';
