#!/bin/sh
# What an image has besides its bundle: extra.sh SERVICE ARCH FOLDER OWN, where OWN gets what belongs to its user.
# Nothing of ARCH is run here: it may be another processor's.
set -eu
service=$1 arch=$2 folder=$3 own=$4

# iputils' ping of Debian with the libraries that the base lacks. Without its file capability: the kernel allows groups to
# send pings.
add_ping() {
  [ "$arch" = "$(dpkg --print-architecture)" ] || dpkg --add-architecture "$arch"
  work=$(mktemp -d)
  cd "$work"
  apt-get -qq update
  apt-get -qq -o APT::Sandbox::User=root download \
    "iputils-ping:$arch" "libcap2:$arch" "libidn2-0:$arch" "libunistring2:$arch" >/dev/null
  mkdir -p "$folder/var/lib/dpkg/status.d"
  for package in *.deb; do
    dpkg-deb -x "$package" unpacked
    # Where scanners look for packages that dpkg did not set up.
    dpkg-deb -f "$package" >"$folder/var/lib/dpkg/status.d/${package%%_*}"
    echo >>"$folder/var/lib/dpkg/status.d/${package%%_*}"
  done
  install -D -m 0755 unpacked/bin/ping "$folder/usr/bin/ping"
  # Debian's libraries lie in a folder of their processor, and each is named by a link.
  for library in unpacked/lib/*/*.so.? unpacked/usr/lib/*/*.so.?; do
    [ -e "$library" ] || continue
    install -D -m 0644 "$library" "$folder/usr/lib/$(basename "$(dirname "$library")")/$(basename "$library")"
  done
  cd /
  rm -r "$work"
}

# PostgreSQL asks for the name of its user.
mkdir -p "$folder/etc"
cp -p /etc/passwd /etc/group "$folder/etc/"
echo "sonde:x:65532:65532:Sonde:/data:/usr/sbin/nologin" >>"$folder/etc/passwd"
echo "sonde:x:65532:" >>"$folder/etc/group"
install -d -m 0700 "$own/data"

case $service in
  all-in-one)
    install -D -m 0755 /nats-server "$folder/usr/local/bin/nats-server"
    add_ping
    ;;
  probe-runner) add_ping ;;
esac
