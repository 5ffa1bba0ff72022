# Unpacks PgBouncer and the libraries that it names from the packages of this system into a folder.
#
# The C library is the system's own in any case; what the package wants beside libraries is for running it as a service.

pooler() {
  libraries=$(apt-cache $settings depends pgbouncer | sed -n 's/^ *Depends: \(lib[^ ]*\)$/\1/p' | grep -vx libc6)
  download pgbouncer $libraries
}

unpack_what pooler
need_libraries "$folder/usr/sbin/pgbouncer"
