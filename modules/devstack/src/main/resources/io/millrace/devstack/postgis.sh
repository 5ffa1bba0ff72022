# Unpacks PostgreSQL with PostGIS from the packages of this system into a folder.
#
# Argument: the folder, which must not exist. Installs nothing, starts nothing, needs no root, and
# asks only the package sources that this system is configured with. Prints the reason and exits
# with 1 when it cannot.
#
# What every system has (the C library above all, which must match its loader) and what only
# raster data and compiled queries would use is left out.

folder=$1
left_out='libc6|libc-bin|libc-l10n|libcrypt1|gcc-.*|libgcc-s1|locales|tzdata|tar|dpkg|debconf'
left_out="$left_out|adduser|passwd|usrmerge|openssl|netbase|lsb-base|init-.*|sysvinit.*|libpam.*"
left_out="$left_out|perl.*|libperl.*|lib.*-perl|libllvm.*|libz3.*|libgdal.*|gdal.*|libpoppler.*"
left_out="$left_out|fonts.*|fontconfig.*|libx265.*|libaom.*|libdav1d.*|liblapack.*|libhdf.*"
left_out="$left_out|libspatialite.*|libmariadb.*|libxerces.*|libcfitsio.*|libnss3"
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

work=$folder.work
rm -rf "$work"
mkdir -p "$work/packages" "$work/lists/partial" "$folder" || exit 1
: >"$work/status"
trap 'rm -rf "$work"' EXIT

# As if nothing were installed, so that libraries which this system has by chance come along, too.
# The system's own caches of its lists stay as they are.
settings="-o Dir::State::status=$work/status -o APT::Sandbox::User=root"
settings="$settings -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache="

# The newest that is offered and is PostgreSQL 15 or newer.
newest() {
  apt-cache $settings pkgnames postgresql- |
    sed -n 's/^postgresql-\([0-9]*\)-postgis-3$/\1/p' | sort -n | tail -n 1
}

fetch() {
  version=$(newest)
  if [ "${version:-0}" -lt 15 ]; then
    echo "this system's packages have no PostGIS 3 for PostgreSQL 15 or newer"
    return 1
  fi
  apt-get $settings -s --no-install-recommends install "postgresql-$version-postgis-3" |
    sed -n 's/^Inst \([^ ]*\) .*/\1/p' | grep -Evx "$left_out" >"$work/names"
  [ -s "$work/names" ] || return 1
  (cd "$work/packages" && apt-get $settings -q download $(cat "$work/names")) 2>&1
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
for package in "$work"/packages/*.deb; do
  dpkg-deb -x "$package" "$folder" || exit 1
done
# What the packages would link when they are installed.
for control in "$folder"/usr/share/postgresql/*/extension/postgis*-3.control; do
  [ -e "${control%-3.control}.control" ] || ln -s "${control##*/}" "${control%-3.control}.control"
done
# A library that is missing is told now rather than by a server that does not start.
libraries=$(find "$folder" -type d -path '*/lib/*-linux-gnu*' | paste -s -d : -)
missing=$(LD_LIBRARY_PATH=$libraries ldd "$folder"/usr/lib/postgresql/*/lib/postgis-3.so \
  "$folder"/usr/lib/postgresql/*/bin/postgres "$folder"/usr/lib/postgresql/*/bin/initdb |
  sed -n 's/^[[:space:]]*\(.*\) => not found.*/\1/p' | sort -u | paste -s -d ' ' -)
if [ -n "$missing" ]; then
  echo "libraries that neither the packages nor this system have: $missing"
  exit 1
fi
chmod -R a+rX,go-w "$folder"
