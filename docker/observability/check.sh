#!/bin/sh
# Checks with promtool: the alert rules, their tests, the example configurations of Prometheus and, if the addresses of
# the apps are given, their metrics:
#   docker/observability/check.sh [http://localhost:3000 http://localhost:3001]
# The metrics need OPERATOR_USER and OPERATOR_PASSWORD in the environment.
set -eu
cd "$(dirname "$0")"

if ! command -v promtool >/dev/null; then
  echo 'promtool is missing. It comes with Prometheus: apt-get install -y prometheus, or brew install prometheus.' >&2
  exit 1
fi

promtool check rules alerts.yml
promtool test rules alerts.test.yml
promtool check config --syntax-only prometheus.yml
# Debian's promtool does not support Kubernetes, so that line is removed.
sed '/kubernetes_sd_configs/d' prometheus.kubernetes.yml | promtool check config --syntax-only /dev/stdin
for app in "$@"; do
  echo "Checking $app/metrics"
  # The password goes through standard input, because every user of the machine can read arguments.
  metrics=$(printf 'user = "%s:%s"\n' "$OPERATOR_USER" "$OPERATOR_PASSWORD" |
    curl --silent --show-error --fail --config - "$app/metrics")
  printf '%s\n' "$metrics" | promtool check metrics
done
