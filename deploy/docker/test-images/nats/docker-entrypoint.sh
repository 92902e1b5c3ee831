#!/bin/sh
# As in the official image: flags alone are nats-server's.
set -eu
if [ $# -gt 0 ] && [ "${1#-}" != "$1" ]; then set -- nats-server "$@"; fi
exec "$@"
