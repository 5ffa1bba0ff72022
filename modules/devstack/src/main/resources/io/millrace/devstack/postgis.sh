# Unpacks PostgreSQL with PostGIS from the packages of this system into a folder.
#
# What every system has (the C library above all, which must match its loader) and what only raster data and compiled queries
# would use is left out.

unused='libc6|libc-bin|libc-l10n|libcrypt1|gcc-.*|libgcc-s1|locales|tzdata|tar|dpkg|debconf'
unused="$unused|adduser|passwd|usrmerge|openssl|netbase|lsb-base|init-.*|sysvinit.*|libpam.*"
unused="$unused|perl.*|libperl.*|lib.*-perl|libllvm.*|libz3.*|libgdal.*|gdal.*|libpoppler.*"
unused="$unused|fonts.*|fontconfig.*|libx265.*|libaom.*|libdav1d.*|liblapack.*|libhdf.*"
unused="$unused|libspatialite.*|libmariadb.*|libxerces.*|libcfitsio.*|libnss3"

# The newest that is offered and is PostgreSQL 15 or newer.
newest() {
  apt-cache $settings -o Dir::State::status="$work/status" pkgnames postgresql- |
    sed -n 's/^postgresql-\([0-9]*\)-postgis-3$/\1/p' | sort -n | tail -n 1
}

postgis() {
  version=$(newest)
  if [ "${version:-0}" -lt 15 ]; then
    echo "this system's packages have no PostGIS 3 for PostgreSQL 15 or newer"
    return 1
  fi
  download_with_dependencies "$unused" "postgresql-$version-postgis-3"
}

unpack_what postgis
# What the packages would link when they are installed.
for control in "$folder"/usr/share/postgresql/*/extension/postgis*-3.control; do
  [ -e "${control%-3.control}.control" ] || ln -s "${control##*/}" "${control%-3.control}.control"
done
need_libraries "$folder"/usr/lib/postgresql/*/lib/postgis-3.so \
  "$folder"/usr/lib/postgresql/*/bin/postgres "$folder"/usr/lib/postgresql/*/bin/initdb
