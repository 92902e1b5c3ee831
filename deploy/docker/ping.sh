#!/bin/sh
# ping.sh ARCH FOLDER: installs Debian's ping and the libraries that the base image lacks, without running code of ARCH.
# ping has no file capability: the kernel allows the image's group to send pings.
set -eu
arch=$1 folder=$2
dpkg --add-architecture "$arch"
cd "$(mktemp -d)"
apt-get -qq update
apt-get -qq -o APT::Sandbox::User=root download \
  "iputils-ping:$arch" "libcap2:$arch" "libidn2-0:$arch" "libunistring2:$arch" >/dev/null
# Vulnerability scanners look there for packages that dpkg did not install.
mkdir -p "$folder/var/lib/dpkg/status.d"
for package in *.deb; do
  dpkg-deb -x "$package" unpacked
  dpkg-deb -f "$package" >"$folder/var/lib/dpkg/status.d/${package%%_*}"
done
install -D -m 0755 unpacked/bin/ping "$folder/usr/bin/ping"
# Each library is in a folder named after the processor. Copies the file behind each versioned link.
for library in unpacked/lib/*/*.so.? unpacked/usr/lib/*/*.so.?; do
  [ ! -e "$library" ] || install -D -m 0644 "$library" "$folder/usr/lib/$(basename "$(dirname "$library")")/$(basename "$library")"
done
