# Makes the data folder if there is none and becomes the PostgreSQL server.
#
# Arguments: the folder of the programs, the data folder, "temporary" or "lasting", the
# server's options.

programs=$1 data=$2 kind=$3
shift 3
export LC_ALL=C

if [ ! -d "$data" ]; then
  # Under another name first: a data folder that exists is complete.
  rm -rf "$data.new"
  flush=
  [ "$kind" = temporary ] && flush=--no-sync
  "$programs/initdb" -D "$data.new" -U postgres -E UTF8 --locale=C -A trust $flush || exit 1
  mv "$data.new" "$data" || exit 1
fi
exec "$programs/postgres" -D "$data" "$@"
