# Stands between a JVM and one server process, so that the server never outlives the JVM.
#
# Arguments: the server's directory, "delete" or "keep" (what becomes of the directory at the end),
# the file for the server's output, the signal the server is asked to end with, the command line.
#
# Standard input carries commands from the JVM, one a line; its end means that the JVM closed the
# server or died, and only the kernel can be trusted to report the latter:
#   start                    starts the server
#   signal NAME PID...       sends a signal, answered by "signalled"
# Standard output carries: "started PID", "exited STATUS", "signalled".

directory=$1 fate=$2 log=$3 parting=$4
shift 4
runner=

# A terminal's Ctrl-C is for the JVM, and so is a signal to "everything": the end of input decides.
trap '' INT TERM HUP PIPE

# Waits for the server in a subshell, because only its parent can, while this shell reads commands.
start_server() {
  (
    (
      trap - INT TERM HUP PIPE
      exec "$@"
    ) </dev/null >>"$log" 2>&1 &
    echo "started $!"
    wait "$!"
    echo "exited $?"
  ) &
  runner=$!
}

# Sets: server, its process id or nothing; family, all living descendants of this shell.
# By parentage, because each PostgreSQL backend makes itself the leader of a session of its own.
find_family() {
  server= family= members=" $$ " grown=yes
  processes=$(cat /proc/[0-9]*/stat 2>/dev/null)
  while [ -n "$grown" ]; do
    grown=
    IFS='
'
    for line in $processes; do
      pid=${line%% *}
      rest=${line##*) }
      rest=${rest#* }
      parent=${rest%% *}
      case "$members" in *" $pid "*) continue ;; esac
      case "$members" in *" $parent "*) ;; *) continue ;; esac
      [ "$parent" = "$runner" ] && server=$pid
      members="$members$pid "
      family="$family $pid"
      grown=yes
    done
    unset IFS
  done
}

# At most 3 s for the polite way, which lets PostgreSQL remove its shared memory.
end_server() {
  find_family
  kill -s CONT $family
  [ -n "$server" ] && kill -s "$parting" "$server"
  tries=60
  while [ -n "$server" ] && kill -0 "$server" && [ "$tries" -gt 0 ]; do
    sleep 0.05
    tries=$((tries - 1))
  done
  find_family
  kill -s KILL $family
}

while read -r verb rest; do
  case $verb in
    start) start_server "$@" ;;
    signal)
      kill -s $rest
      echo signalled
      ;;
  esac
done

exec 2>/dev/null
end_server
if [ "$fate" = delete ]; then
  # A dying process may still create a file while its folder is being removed.
  tries=100
  while [ -e "$directory" ] && [ "$tries" -gt 0 ]; do
    rm -rf "$directory" || sleep 0.05
    tries=$((tries - 1))
  done
fi
