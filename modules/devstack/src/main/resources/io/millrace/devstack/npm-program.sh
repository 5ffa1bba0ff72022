# Unpacks npm from the packages of this system into a folder; Node.js itself comes with the languages.
#
# What every system has, and what npm asks for but does not use to fetch packages, is left out.

unused='libc6|libc-bin|libcrypt1|gcc-.*|cpp.*|g\+\+.*|libgcc-.*|binutils.*|tar|dpkg.*|debconf|adduser|passwd|usrmerge|init-.*'
unused="$unused|perl.*|libperl.*|lib.*-perl|make|build-essential|libc6-dev|libc-dev.*|linux-libc-dev|libstdc.*-dev|libssl-dev"
unused="$unused|libuv1-dev|libnode.*|nodejs.*|python3.*|libpython3.*|node-babel.*|node-jest.*|node-webpack.*|node-eslint.*"
unused="$unused|node-core-js.*|node-caniuse.*|node-types.*|node-istanbul.*|libllvm.*|libx11.*|gyp|libjs-.*|eslint|webpack"

npm_program() {
  download_with_dependencies "$unused" npm
}

unpack_what npm_program
