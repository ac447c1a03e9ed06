#!/bin/sh
# Reads lines `add <pid>` and `remove <pid>` from standard input. When standard input closes because the writer has
# died, ends each process that was added and not removed, the last one first: with SIGINT, and after ten seconds with
# SIGKILL.
pids=' '
while read -r action pid; do
  case $action in
  add) pids=" $pid$pids" ;;
  remove) case $pids in *" $pid "*) pids="${pids%% "$pid" *} ${pids#* "$pid" }" ;; esac ;;
  esac
done
for pid in $pids; do # the apps stop before their servers
  kill -s INT "$pid" 2>/dev/null || continue
  tries=0
  while kill -s 0 "$pid" 2>/dev/null && [ "$tries" -lt 50 ]; do
    sleep 0.2
    tries=$((tries + 1))
  done
  kill -s KILL "$pid" 2>/dev/null
done
exit 0
