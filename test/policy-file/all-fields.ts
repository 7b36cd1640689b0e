/** A policy that sets every field. */
export const everyField = `apiVersion: nodeferry.dev/v1alpha1
kind: PoolUpgrade
metadata:
  name: all
spec:
  cluster: {name: production, region: eu-west-1}
  pool:
    provider: eks
    name: web
  target: {poolName: blue, adopt: false, version: "1.34", releaseVersion: 1.34.2-20251103, launchTemplateVersion: "7"}
  nodeSurge: 25%
  guard:
    defaultMinServing: 50%
    maxInFlight: 2
    minServing:
      default/web: 3
      default/api: 80%
    acceptUnprotected: [default/old]
  waits:
    propagation: 1m
    endpointPropagation: 500ms
    margin: 1s
    pollInterval: 2s
    stabilization: 3s
    stabilizationAfterOutage: 2m
    maxConnectionAge:
      '*': 5m
      default/api: 40s
    deadlines:
      nodesReady: 1h
      capacity: 5m
      deregistration: 1m
      registration: 90s
      connectionDrain: 2m
      eviction: 3m
      replacements: 4m
      endpointRemoval: 5m
      termination: 6m
      guard: 7m
      jobCompletion: 8m
  drain:
    deleteEmptyDirData: true
    force: true
    doNotDisrupt: wait
    jobs: wait
    unreachableNodes: terminate
    keepEndpoints: [default/mesh]
  podSurge:
    mode: auto
    max: 50%
    workloads:
      default/web: {max: maxSurge}
      default/db: {mode: required, max: 100%}
  traffic:
    probes:
      - name: web
        urls: ['http://web.example/healthz']
        ratePerSecond: 20
        timeout: 2s
    lossBudget: 5
    watchAfter: 10s
  schedule:
    timeZone: Europe/Berlin
    windows:
      - {days: [Mon, Tue], weeks: [first, last], start: "22:00", end: "04:00"}
    freezes:
      - {name: year-end, from: 2026-12-18, to: 2027-01-04T06:00}
    calendars:
      - file: freezes.ics
      - url: https://calendar.example.com/freezes.ics
  disabledRules: [capacity-guard]
`;
