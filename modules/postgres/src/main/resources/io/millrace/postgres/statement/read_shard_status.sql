-- Purpose: every shard as an operator looks at it.
-- Rows returned: one a shard. Backlog is counted up to 100,000 messages above the head; lag is the age of the oldest of
-- them and of the lanes' unpublished ones, in milliseconds of the database's clock, 0 when there is none. Lanes as an
-- array of {topic, state, reason, opened_ms, lag_ms, overtaken}; a lane's oldest message is looked for within 100,000 ids
-- of its head. Parked messages are counted up to 100,000.
-- While Debezium publishes, receipts say nothing of new messages: backlog and lag are 0 then.
-- Tables written: none. Locks: ACCESS SHARE.
select s.shard, s.owner, n.name as node, s.epoch, s.paused, s.claimed_at,
       c.head, c.counter, c.sweep_end is not null as is_sweeping, c.published_at,
       backlog.messages as backlog,
       greatest(coalesce(extract(epoch from clock_timestamp() - oldest.created_at) * 1000, 0)::bigint,
                coalesce(lanes.lag_ms, 0)) as lag_ms,
       coalesce(lanes.lanes, '[]') as lanes, parked.messages as parked
from millrace.shard s
left join millrace.node n on n.node = s.owner
left join lateral (
  select r.head, r.counter, r.sweep_end, r.published_at from millrace.receipt r
  where r.shard = s.shard and r.lane = ''
  order by r.epoch desc, r.counter desc limit 1) c on true
cross join lateral (
  select count(*) as messages
  from (select from millrace.outbox o
        where o.shard = s.shard and o.id > coalesce(c.head, 0)
          and (select p.publisher from millrace.publishing p) = 'relay' limit 100000) bounded) backlog
left join lateral (
  select o.created_at from millrace.outbox o
  where o.shard = s.shard and o.id > coalesce(c.head, 0)
    and (select p.publisher from millrace.publishing p) = 'relay' order by o.id limit 1) oldest on true
left join lateral (
  select max(one.lag_ms) as lag_ms,
         jsonb_agg(jsonb_build_object('topic', one.topic, 'state', one.state, 'reason', one.reason,
           'opened_ms', (extract(epoch from one.opened_at) * 1000)::bigint,
           'lag_ms', one.lag_ms, 'overtaken', cardinality(one.overtaken)) order by one.topic) as lanes
  from (
    select l.topic, l.state, l.reason, l.opened_at, l.overtaken,
           coalesce(extract(epoch from clock_timestamp() - first.created_at) * 1000, 0)::bigint as lag_ms
    from millrace.lane l
    left join lateral (
      select r.head from millrace.receipt r where r.shard = l.shard and r.lane = l.topic
      order by r.epoch desc, r.counter desc limit 1) cursor on true
    left join lateral (
      select o.created_at from millrace.outbox o
      where o.shard = l.shard and o.id > cursor.head and o.id <= cursor.head + 100000 and o.topic = l.topic
      order by o.id limit 1) first on true
    where l.shard = s.shard) one) lanes on true
cross join lateral (
  select count(*) as messages
  from (select from millrace.parked p where p.shard = s.shard limit 100000) bounded) parked
order by s.shard
