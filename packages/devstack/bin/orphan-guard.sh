#!/bin/sh
# dead-man.sh <pid> <start time> <signal>: ends that process once whoever holds the other end of standard input is gone.
# A line on standard input sends this home instead. Another process with the same id is never signalled: the start time
# (field 22 of /proc/<pid>/stat, or what ps says) must agree.
pid=$1 started=$2 signal=$3

is_running() {
  if [ -r /proc/self/stat ]; then
    read -r line 2>/dev/null <"/proc/$pid/stat" || return 1
    # shellcheck disable=SC2086 # to be split into fields; the name before the last bracket may hold anything
    set -- ${line##*) }
    [ "$1" != Z ] && [ "${20}" = "$started" ]
  else
    # shellcheck disable=SC2046,SC2005,SC2086 # echo makes single spaces of many
    [ "$(echo $(LC_ALL=C ps -o lstart= -p $pid))" = "$started" ]
  fi
}

read -r _ && exit 0
sleep 2 # for what uses it to stop first
is_running && kill -s "$signal" "$pid"
tries=0
while is_running && [ "$tries" -lt 50 ]; do
  sleep 0.2
  tries=$((tries + 1))
done
is_running && kill -s KILL "$pid"
exit 0
