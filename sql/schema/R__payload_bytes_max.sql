-- Purpose: the largest payload that may be appended, in bytes. A changed setting takes effect with the next migrate.
create or replace function millrace.payload_bytes_max() returns integer
  language sql immutable parallel safe
  as 'select ${payload_bytes_max}';
