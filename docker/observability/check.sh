#!/bin/sh
# Holds the alert rules, their tests, the examples of Prometheus' configuration and, where both apps' addresses are given,
# what they tell to what Prometheus expects:
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
promtool check config --syntax-only prometheus.yml
# Debian's promtool knows no Kubernetes, so that line is left out.
sed '/kubernetes_sd_configs/d' prometheus.kubernetes.yml | promtool check config --syntax-only /dev/stdin
for app in "$@"; do
  echo "Checking $app/metrics"
  # The password goes through standard input: arguments can be seen by every user of the machine.
  figures=$(printf 'user = "%s:%s"\n' "$OPERATOR_USER" "$OPERATOR_PASSWORD" |
    curl --silent --show-error --fail --config - "$app/metrics")
  printf '%s\n' "$figures" | promtool check metrics
done
