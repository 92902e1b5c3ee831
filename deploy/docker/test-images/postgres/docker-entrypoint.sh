#!/bin/sh
# Behaves like the official image's entrypoint: creates the cluster in PGDATA from POSTGRES_USER, POSTGRES_PASSWORD,
# POSTGRES_DB (each also as …_FILE), POSTGRES_INITDB_ARGS and POSTGRES_HOST_AUTH_METHOD, runs the files in
# /docker-entrypoint-initdb.d once, then executes the server. As root it first switches to the user postgres.
set -eu

from_file() {
  eval "value=\${$1:-} file=\${$1_FILE:-}"
  [ -z "$file" ] || value=$(cat "$file")
  export "$1=${value:-${2:-}}"
}

if [ $# -eq 0 ]; then set -- postgres; fi
if [ "${1#-}" != "$1" ]; then set -- postgres "$@"; fi
[ "$1" = postgres ] || exec "$@"

mkdir -p "$PGDATA"
if [ "$(id -u)" = 0 ]; then
  chown -R postgres:postgres "$PGDATA" /var/run/postgresql
  exec setpriv --reuid=postgres --regid=postgres --clear-groups "$0" "$@"
fi
chmod 700 "$PGDATA" 2>/dev/null || true
# initdb needs a user name, which an arbitrary user id does not have.
if ! getent passwd "$(id -u)" >/dev/null; then
  names=$(mktemp -d)
  echo "postgres:x:$(id -u):$(id -g):PostgreSQL:$PGDATA:/bin/false" >"$names/passwd"
  echo "postgres:x:$(id -g):" >"$names/group"
  export NSS_WRAPPER_PASSWD="$names/passwd" NSS_WRAPPER_GROUP="$names/group" LD_PRELOAD=libnss_wrapper.so
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  from_file POSTGRES_USER postgres
  from_file POSTGRES_PASSWORD
  from_file POSTGRES_DB "$POSTGRES_USER"
  from_file POSTGRES_INITDB_ARGS
  method=${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}
  if [ -z "$POSTGRES_PASSWORD" ] && [ "$method" != trust ]; then
    echo "Error: Database is uninitialized and superuser password is not specified: set POSTGRES_PASSWORD." >&2
    exit 1
  fi
  password=$(mktemp)
  printf '%s\n' "$POSTGRES_PASSWORD" >"$password"
  # The variable contains several arguments.
  # shellcheck disable=SC2086
  initdb --username="$POSTGRES_USER" --pwfile="$password" $POSTGRES_INITDB_ARGS
  rm "$password"
  printf '\nhost all all all %s\n' "$method" >>"$PGDATA/pg_hba.conf"

  # A first start, only for the files in initdb.d, listens on no address.
  PGUSER=$POSTGRES_USER PGPASSWORD=$POSTGRES_PASSWORD
  export PGUSER PGPASSWORD
  shift
  pg_ctl start --pgdata="$PGDATA" --wait --options="-c listen_addresses='' -p ${PGPORT:-5432} $*"
  set -- postgres "$@"
  query() { psql --set=ON_ERROR_STOP=1 --no-password --no-psqlrc "$@"; }
  if [ "$POSTGRES_DB" != postgres ]; then
    echo 'CREATE DATABASE :"db"' | query --dbname=postgres --set=db="$POSTGRES_DB"
  fi
  for file in /docker-entrypoint-initdb.d/*; do
    case $file in
      *.sh) if [ -x "$file" ]; then "$file"; else . "$file"; fi ;;
      *.sql) query --dbname="$POSTGRES_DB" --file="$file" ;;
      *.sql.gz) gunzip -c "$file" | query --dbname="$POSTGRES_DB" ;;
    esac
  done
  pg_ctl stop --pgdata="$PGDATA" --mode=fast --wait
  unset PGUSER PGPASSWORD
  echo "PostgreSQL init process complete; ready for start up."
fi
exec "$@"
