# Starts as root, changes the owner of the data folder and continues as the user of the program.
set -e
as() { user=$1; shift 2; exec setpriv --reuid="$user" --regid="$user" --init-groups "$@"; }
case "$1" in
  postgres)
    export PATH="/usr/lib/postgresql/17/bin:$PATH" PGDATA=/var/lib/postgresql/data
    chown -R postgres "$PGDATA" && chmod 700 "$PGDATA"
    if ! [ -s "$PGDATA/PG_VERSION" ]; then
      printf %s "$POSTGRES_PASSWORD" >/tmp/password && chmod 644 /tmp/password
      (as postgres -- initdb --encoding=UTF8 --locale=C.UTF-8 --username="$POSTGRES_USER" --pwfile=/tmp/password --auth-host=scram-sha-256 --auth-local=trust)
      echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
      echo "CREATE DATABASE $POSTGRES_DB" | (as postgres -- postgres --single -E postgres)
    fi
    as postgres -- "$@" -c listen_addresses='*' -c unix_socket_directories=/tmp ;;
  redis-server)
    chown -R redis /data && cd /data
    as redis -- "$@" --protected-mode no --bind '*' ;;
  pgbouncer)
    printf '"jobline_app" "%s"\n' "$POSTGRES_APP_PASSWORD" >/tmp/users
    cat >/tmp/pgbouncer.ini <<SETTINGS
[databases]
* = host=postgres port=5432
[pgbouncer]
listen_addr = *
listen_port = 6432
unix_socket_dir =
auth_type = scram-sha-256
auth_file = /tmp/users
pool_mode = transaction
max_prepared_statements = 200
ignore_startup_parameters = options
default_pool_size = 40
max_client_conn = 1000
SETTINGS
    chmod 644 /tmp/users /tmp/pgbouncer.ini
    as postgres -- pgbouncer /tmp/pgbouncer.ini ;;
  *) exec "$@" ;;
esac
