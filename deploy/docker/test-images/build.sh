#!/bin/sh
# build.sh NAME COMMAND…: builds a test stand-in for an official image that cannot be pulled. COMMAND is `buildah build`
# with its options; the folder to build is appended. Needs root, debootstrap, npm and Go.
set -eu
name=$1
shift
root=$(cd "$(dirname "$0")/../../.." && pwd)
sources=$root/deploy/docker/test-images
work=$root/node_modules/.cache/sonde/images/$name
rm -rf "$work"
mkdir -p "$work"

# rootfs SUITE PACKAGES: creates a small Debian in $work/rootfs
rootfs() {
  script=/usr/share/debootstrap/scripts/$1
  [ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
  debootstrap --variant=minbase --include="$2" "$1" "$work/rootfs" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" \
    "$script" >"$work/log" || { tail -n 20 "$work/log" >&2; exit 1; }
  for part in usr/share/doc usr/share/man usr/share/locale var/lib/apt/lists var/cache/apt var/log var/lib/postgresql; do
    [ ! -d "$work/rootfs/$part" ] || find "$work/rootfs/$part" -mindepth 1 -delete
  done
  rm -f "$work/rootfs/etc/resolv.conf" "$work/rootfs/etc/hostname" "$work/rootfs/etc/machine-id"
  find "$work/rootfs/dev" -mindepth 1 -delete
}

case $name in
  node-*)
    cp "$sources/base/Dockerfile" "$work"
    rootfs bookworm ca-certificates,libatomic1,libstdc++6
    install -m 0755 "$root"/node_modules/node-linux-*/bin/node "$work/rootfs/usr/local/bin/node"
    npm install --silent --global --prefix "$work/rootfs/usr/local" npm@12.2.0
    ;;
  nats-*)
    cp "$sources"/nats/* "$work"
    CGO_ENABLED=0 GOBIN=$work go install -trimpath -ldflags="-s -w" github.com/nats-io/nats-server/v2@latest
    ;;
  postgres-*)
    cp "$sources"/postgres/* "$work"
    rootfs forky postgresql-18,libnss-wrapper # Debian 12 has an older one.
    ;;
esac
# A tar archive preserves file owners.
if [ -d "$work/rootfs" ]; then tar -C "$work/rootfs" -cf "$work/rootfs.tar" . && rm -rf "$work/rootfs"; fi
"$@" "$work"
rm -rf "$work"
