# What the scripts that fill a folder from this system's packages have in common; put before each of them.
#
# Their first argument is the folder, which must not exist. Nothing is installed, nothing started, no root needed, and only the
# package sources asked that this system is configured with. A script that cannot prints the reason and exits with 1.

folder=$1
shift
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

work=$folder.work
rm -rf "$work"
mkdir -p "$work/packages" "$work/lists/partial" "$folder" || exit 1
: >"$work/status"
trap 'rm -rf "$work"' EXIT
# The system's own caches of its lists stay as they are.
settings="-o APT::Sandbox::User=root -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache="

download() {
  (cd "$work/packages" && apt-get $settings -q download "$@") 2>&1
}

# The packages named and what they depend on, but for those whose names match the first argument. As if nothing were installed,
# so that libraries which this system has by chance come along, too.
download_with_dependencies() {
  left_out=$1
  shift
  settings="$settings -o Dir::State::status=$work/status"
  apt-get $settings -s --no-install-recommends install "$@" |
    sed -n 's/^Inst \([^ ]*\) .*/\1/p' | grep -Evx "$left_out" >"$work/names"
  [ -s "$work/names" ] || return 1
  download $(cat "$work/names")
}

# Runs a function that downloads, and unpacks what it has brought. The system's lists may be missing or name packages that
# are gone; then it runs once more with lists of our own.
unpack_what() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
    echo 'this system has no apt-get and dpkg-deb'
    exit 1
  fi
  if ! "$1" >"$work/log"; then
    settings="$settings -o Dir::State::lists=$work/lists"
    { apt-get $settings -q update 2>&1 && "$1"; } >>"$work/log" || {
      tail -n 3 "$work/log"
      exit 1
    }
  fi
  for package in "$work"/packages/*.deb; do
    dpkg-deb -x "$package" "$folder" || exit 1
  done
  chmod -R a+rX,go-w "$folder"
}

# Ends the script when a library of these programs is neither in the folder nor in the system: told now rather than by a
# program that does not start.
need_libraries() {
  libraries=$(find "$folder" -type d -path '*/lib/*-linux-gnu*' | paste -s -d : -)
  missing=$(LD_LIBRARY_PATH=$libraries ldd "$@" |
    sed -n 's/^[[:space:]]*\(.*\) => not found.*/\1/p' | sort -u | paste -s -d ' ' -)
  if [ -n "$missing" ]; then
    echo "libraries that neither the packages nor this system have: $missing"
    exit 1
  fi
}
