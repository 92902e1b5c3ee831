#!/bin/sh
# A small Debian as an archive, the same each time: rootfs.sh OUT.tar SUITE PACKAGES [FOLDER …]
# What lies in the folders is put over it. Needs root, debootstrap and Debian's mirror (DEBIAN_MIRROR).
set -eu
out=$1
suite=$2
packages=$3
shift 3
work=$(mktemp -d "$out.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/root
script=/usr/share/debootstrap/scripts/$suite
[ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
if ! debootstrap --variant=minbase --include="$packages" "$suite" "$root" \
  "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" "$script" >"$work/log" 2>&1; then
  tail -n 20 "$work/log" >&2
  exit 1
fi
# Files that containers do not use, and those that contain the date of the build.
for part in usr/share/doc usr/share/man usr/share/info usr/share/locale usr/share/lintian \
  var/lib/apt/lists var/cache var/log var/lib/postgresql; do
  [ ! -d "$root/$part" ] || find "$root/$part" -mindepth 1 -delete
done
rm -f "$root"/etc/*- "$root"/var/lib/dpkg/*-old "$root/etc/machine-id" "$root/var/lib/dbus/machine-id" \
  "$root/etc/resolv.conf" "$root/etc/hostname"
find "$root/dev" -mindepth 1 -delete
sed -i 's/^\([^:]*:[^:]*:\)[0-9]*:/\120000:/' "$root/etc/shadow"
for folder; do cp -a "$folder/." "$root/"; done
tar --create --file="$work/root.tar" --directory="$root" --sort=name --numeric-owner --mtime=@0 --format=gnu .
mv "$work/root.tar" "$out"
