#!/bin/sh
# The agents' archives, for the image that has them: archives.sh SERVICE FOLDER
set -eu
mkdir -p "$2"
[ "${1:?is empty: build with --build-arg SERVICE=gateway, or another program}" = agents ] || exit 0
if ! command -v xz >/dev/null || ! command -v strip >/dev/null; then
  apt-get -qq update
  apt-get -qq install --no-install-recommends --yes binutils xz-utils >/dev/null
fi
# Without a key of its own each build signs with one that is made for it.
key=/run/secrets/agent-signing-key
[ -f "$key" ] || key=/tmp/agent-signing-key.pem
node agent/build/build.ts --into "$2/app/archives" --key "$key" all
find "$2/app/archives" -mindepth 1 -maxdepth 1 -type d -exec rm -r {} +
