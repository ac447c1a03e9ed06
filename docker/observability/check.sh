#!/bin/sh
# Holds the alert rules, their tests and, where both apps' addresses are given, what they tell to what Prometheus expects:
#   docker/observability/check.sh [http://localhost:3000 http://localhost:3001]
# with OPERATOR_USER and OPERATOR_PASSWORD in the environment for the latter.
set -eu
cd "$(dirname "$0")"

if ! command -v promtool >/dev/null; then
  echo 'promtool is missing. It comes with Prometheus: apt-get install -y prometheus, or brew install prometheus.' >&2
  exit 1
fi

promtool check rules alerts.yml
promtool test rules alerts.test.yml
for app in "$@"; do
  echo "Checking $app/metrics"
  # The password goes through standard input: arguments can be seen by every user of the machine.
  figures=$(printf 'user = "%s:%s"\n' "$OPERATOR_USER" "$OPERATOR_PASSWORD" |
    curl --silent --show-error --fail --config - "$app/metrics")
  printf '%s\n' "$figures" | promtool check metrics
done
