# Unpacks psql, Python and Node.js, each with its driver for PostgreSQL, from the packages of this system into a folder.
#
# What every system has (the C library above all, which must match its loader), and what the packages ask for but these
# programs do not use, is left out.

unused='libc6|gcc-.*|libgcc-s1|libcrypt1|tar|dpkg|debconf|perl.*|libperl.*|libdb5.*|libgdbm.*|libmd0|libacl1|libselinux1'
unused="$unused|libpcre2-.*|media-types|netbase|sensible-utils|libjs-.*|readline-common|libtirpc-common"
unused="$unused|node-libpq|node-bindings|postgresql-client-common|postgresql-client"

languages() {
  download_with_dependencies "$unused" python3 python3-psycopg nodejs node-pg postgresql-client
}

unpack_what languages
need_libraries "$folder"/usr/bin/node "$folder"/usr/bin/python3.[0-9]* "$folder"/usr/lib/postgresql/*/bin/psql
# This Node.js reads parts of itself from an absolute path. As a relative one of the same length it is found from the folder.
sed -i 's#/usr/share/nodejs/#usr/share//nodejs/#g' "$folder"/usr/lib/*/libnode.so.*
# Python looks for libraries among those of the system, and finds this one by no setting.
cat >"$folder/usr/lib/python3/dist-packages/sitecustomize.py" <<'PYTHON'
import ctypes.util
import glob
import os

of_the_system = ctypes.util.find_library


def unpacked(name):
    for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
        for file in sorted(glob.glob(os.path.join(folder, "lib%s.so.*" % name))):
            return file
    return of_the_system(name)


ctypes.util.find_library = unpacked
PYTHON
