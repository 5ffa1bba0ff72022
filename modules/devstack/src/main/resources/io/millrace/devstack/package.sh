# Unpacks one package of this system into a folder, without what it depends on.
#
# Arguments: the folder, which must not exist; the package. Installs nothing, starts nothing, needs no
# root, and asks only the package sources that this system is configured with. Prints the reason and
# exits with 1 when it cannot.

folder=$1
package=$2
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

work=$folder.work
rm -rf "$work"
mkdir -p "$work/packages" "$work/lists/partial" "$folder" || exit 1
trap 'rm -rf "$work"' EXIT
# The system's own caches of its lists stay as they are.
settings="-o APT::Sandbox::User=root -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache="

fetch() {
  (cd "$work/packages" && apt-get $settings -q download "$package") 2>&1
}

if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
  echo 'this system has no apt-get and dpkg-deb'
  exit 1
fi
# The system's lists may be missing or name packages that are gone; then lists of our own.
if ! fetch >"$work/log"; then
  settings="$settings -o Dir::State::lists=$work/lists"
  { apt-get $settings -q update 2>&1 && fetch; } >>"$work/log" || {
    tail -n 3 "$work/log"
    exit 1
  }
fi
dpkg-deb -x "$work"/packages/*.deb "$folder" || exit 1
chmod -R a+rX,go-w "$folder"
