#!/bin/sh
# Registers the namespace and the search attributes that nodeferry sets on its workflows, and waits until the server
# answers queries by them. Safe to run again. TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE are read by the temporal CLI.
set -eu

namespace=${TEMPORAL_NAMESPACE:-default}
# How long finished upgrades stay readable: the record of what was done to a cluster.
retention=${TEMPORAL_RETENTION:-90d}

# retry SECONDS COMMAND…: runs a command again, once a second, until it succeeds.
retry() {
  left=$1
  shift
  until "$@"; do
    left=$((left - 1))
    if [ "$left" -le 0 ]; then
      echo "gave up: $*" >&2
      return 1
    fi
    sleep 1
  done
}

retry 60 temporal operator cluster health

temporal operator namespace describe --namespace "$namespace" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$namespace" --retention "$retention"

# A new namespace is known to all parts of the server within seconds.
retry 60 temporal operator search-attribute create --namespace "$namespace" \
  --name NodeferryCluster --type Keyword \
  --name NodeferryPool --type Keyword \
  --name NodeferryPhase --type Keyword \
  --name NodeferryStalled --type Bool

# The frontend keeps the list of search attributes for up to a minute; workers may start once it has the new ones.
retry 120 temporal workflow count --namespace "$namespace" --query 'NodeferryStalled = true'
echo "The namespace $namespace is ready."
