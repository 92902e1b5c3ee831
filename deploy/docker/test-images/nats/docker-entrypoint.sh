#!/bin/sh
# As in the official image, arguments that start with a flag are passed to nats-server.
set -eu
if [ $# -gt 0 ] && [ "${1#-}" != "$1" ]; then set -- nats-server "$@"; fi
exec "$@"
