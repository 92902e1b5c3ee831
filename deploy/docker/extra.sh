#!/bin/sh
# What three of the images have besides their bundle: extra.sh SERVICE FOLDER
set -eu
service=${1:?is empty: build with --build-arg SERVICE=gateway, or another program}
folder=$2
mkdir -p "$folder"

# iputils' ping with the libraries that the base lacks. Without its file capability: the kernel allows groups to send pings.
add_ping() {
  if ! command -v ping >/dev/null; then
    apt-get -qq update
    apt-get -qq install --no-install-recommends --yes iputils-ping >/dev/null
  fi
  install -D -m 0755 "$(command -v ping)" "$folder/usr/bin/ping"
  for library in $(ldd "$(command -v ping)" | sed -n 's,.*=> \(/[^ ]*\) .*,\1,p' | grep -v '/lib[cm]\.so'); do
    install -D -m 0644 "$library" "$folder/usr/lib/$(basename "$(dirname "$library")")/$(basename "$library")"
  done
}

case $service in
  all-in-one)
    mkdir -p "$folder/usr/local/bin"
    cp /usr/local/bin/nats-server "$folder/usr/local/bin/"
    add_ping
    ;;
  probe-runner) add_ping ;;
  agents)
    if ! command -v xz >/dev/null || ! command -v strip >/dev/null; then
      apt-get -qq update
      apt-get -qq install --no-install-recommends --yes binutils xz-utils >/dev/null
    fi
    # Without a key of its own each build signs with one that is made for it.
    key=/run/secrets/agent-signing-key
    [ -f "$key" ] || key=/tmp/agent-signing-key.pem
    node agent/build/build.ts --into "$folder/app/archives" --key "$key" all
    find "$folder/app/archives" -mindepth 1 -maxdepth 1 -type d -exec rm -r {} +
    ;;
esac
