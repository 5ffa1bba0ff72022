-- Purpose: read what a change has made of a feature. $1 layer  $2 feature id  $3 the version it must have now
--   $4 whether it was there before
-- Rows returned: one. Tables written: retired, if it is gone. Locks: none that are not held.
select f.is_there, f.lon, f.lat, f.occurred_at
from millrace_spatial.settle_feature($1::text, $2::text, $3::bigint, $4::boolean) f
