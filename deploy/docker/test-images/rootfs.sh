#!/bin/sh
# A small Debian as an archive, the same each time: rootfs.sh OUT.tar SUITE[:ARCH] PACKAGES [FOLDER …]
# What lies in the folders is put over it. Needs root, debootstrap and Debian's mirror (DEBIAN_MIRROR). Of another processor's
# packages no script is run, so that they are there and not set up: enough for what brings its own programs.
set -eu
out=$1
suite=${2%:*}
own=$(dpkg --print-architecture)
arch=$own
case $2 in *:*) arch=${2#*:} ;; esac
packages=$3
shift 3
work=$(mktemp -d "$out.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/root
script=/usr/share/debootstrap/scripts/$suite
[ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
foreign=
[ "$arch" = "$own" ] || foreign=--foreign
if ! debootstrap --variant=minbase --arch="$arch" $foreign --include="$packages" "$suite" "$root" \
  "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" "$script" >"$work/log" 2>&1; then
  tail -n 20 "$work/log" >&2
  exit 1
fi
if [ -n "$foreign" ]; then
  # The second half of debootstrap would run them. What it would unpack, the list of packages, and the users:
  for name in $(cat "$root/debootstrap/base"); do
    dpkg-deb -x "$root"/var/cache/apt/archives/"$name"_*.deb "$root"
  done
  for package in "$root"/var/cache/apt/archives/*.deb; do
    dpkg-deb -f "$package"
    printf 'Status: install ok unpacked\n\n'
  done >"$root/var/lib/dpkg/status"
  for file in passwd group; do cp "$root/usr/share/base-passwd/$file.master" "$root/etc/$file"; done
  rm -r "$root/debootstrap"
fi
# Files that containers do not use, and those that contain the date of the build.
for part in usr/share/doc usr/share/man usr/share/info usr/share/locale usr/share/lintian \
  var/lib/apt/lists var/cache var/log var/lib/postgresql; do
  [ ! -d "$root/$part" ] || find "$root/$part" -mindepth 1 -delete
done
rm -f "$root"/etc/*- "$root"/var/lib/dpkg/*-old "$root/etc/machine-id" "$root/var/lib/dbus/machine-id" \
  "$root/etc/resolv.conf" "$root/etc/hostname"
find "$root/dev" -mindepth 1 -delete
[ ! -e "$root/etc/shadow" ] || sed -i 's/^\([^:]*:[^:]*:\)[0-9]*:/\120000:/' "$root/etc/shadow"
for folder; do cp -a "$folder/." "$root/"; done
tar --create --file="$work/root.tar" --directory="$root" --sort=name --numeric-owner --mtime=@0 --format=gnu .
mv "$work/root.tar" "$out"
