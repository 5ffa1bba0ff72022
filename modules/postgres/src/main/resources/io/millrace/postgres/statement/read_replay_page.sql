-- Purpose: replays below a number, the newest first. $1 number, null: all  $2 how many at most
-- Rows returned: one a replay. Tables written: none. Locks: ACCESS SHARE.
select s.replay_id, s.state, s.end_reason, s.actor, s.reason, s.from_at, s.to_at, s.topic, s.aggregate_type,
       s.aggregate_id, s.target_topic, s.rate, s.created_at, s.finished_at, s.shards, s.shards_done, s.sent, s.skipped,
       s.skip_reason, s.progress::double precision as progress, s.messages_left::bigint as messages_left, s.laggards
from millrace.replay_status s
where s.replay_id in (
  select r.replay_id from millrace.replay r where $1::bigint is null or r.replay_id < $1::bigint
  order by r.replay_id desc limit $2::integer)
order by s.replay_id desc
