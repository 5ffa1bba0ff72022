# Unpacks Chromium without windows, its driver and fonts from the packages of this system into a folder.
#
# What every system has, and what only windows, printing and sound would use, is left out.

unused='libc6|libc-bin|libcrypt1|gcc-.*|libgcc-s1|tar|dpkg|debconf|adduser|passwd|usrmerge'
unused="$unused|init-.*|sysvinit.*|lsb-base|perl.*|libperl.*|lib.*-perl|systemd.*|libpam.*|mount"
unused="$unused|dmsetup|libdevmapper.*|libcryptsetup.*|procps|libproc2.*|dbus.*|at-spi2-common"
unused="$unused|chromium|xdg-utils|x11-.*|libgtk-.*|gtk-.*|adwaita-.*|hicolor-.*|dconf-.*|libdconf.*"
unused="$unused|libgl1.*|libglx.*|libglapi.*|libllvm.*|libz3.*|libsensors.*|shared-mime-info|libcolord.*"

browser() {
  download_with_dependencies "$unused" chromium-headless-shell chromium-driver fonts-dejavu-core
}

unpack_what browser
need_libraries "$folder/usr/lib/chromium/chromium-headless-shell" "$folder/usr/bin/chromedriver"
