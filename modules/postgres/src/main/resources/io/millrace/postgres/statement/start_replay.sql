-- Purpose: have retained messages published once more. $1 who asks  $2 why  $3 from  $4 to  $5 topic  $6 aggregate type
-- $7 aggregate id  $8 target topic  $9 messages a second; null: no restriction, each message's own topic
-- Rows returned: one: the replay's number. Tables written: replay, replay_shard, audit.
-- Locks: the one against the emptying of slots.
select millrace.start_replay($1::text, $2::text, $3::timestamptz, $4::timestamptz, $5::text, $6::text, $7::text, $8::text,
         $9::integer) as replay_id
