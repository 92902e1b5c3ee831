#!/bin/sh
# ping.sh ARCH FOLDER: Debian's ping, with the libraries that the base image lacks. Nothing of ARCH runs here.
# It has no file capability: the kernel lets the image's group send pings.
set -eu
arch=$1 folder=$2
dpkg --add-architecture "$arch"
cd "$(mktemp -d)"
apt-get -qq update
apt-get -qq -o APT::Sandbox::User=root download \
  "iputils-ping:$arch" "libcap2:$arch" "libidn2-0:$arch" "libunistring2:$arch" >/dev/null
# Scanners look there for packages that dpkg did not install.
mkdir -p "$folder/var/lib/dpkg/status.d"
for package in *.deb; do
  dpkg-deb -x "$package" unpacked
  dpkg-deb -f "$package" >"$folder/var/lib/dpkg/status.d/${package%%_*}"
done
install -D -m 0755 unpacked/bin/ping "$folder/usr/bin/ping"
# The libraries are in a folder of their processor; links name them.
for library in unpacked/lib/*/*.so.? unpacked/usr/lib/*/*.so.?; do
  [ ! -e "$library" ] || install -D -m 0644 "$library" "$folder/usr/lib/$(basename "$(dirname "$library")")/$(basename "$library")"
done
