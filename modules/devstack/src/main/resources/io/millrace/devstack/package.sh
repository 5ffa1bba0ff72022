# Unpacks one package of this system into a folder, without what it depends on.
#
# Argument after the folder: the package.

wanted=$1

package_alone() {
  download "$wanted"
}

unpack_what package_alone
