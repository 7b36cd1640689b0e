/** A policy that says everything that a policy can say. */
export const everyField = `apiVersion: nodeferry.dev/v1alpha1
kind: PoolUpgrade
metadata:
  name: all
spec:
  cluster: {name: production, region: eu-west-1}
  pool:
    provider: eks
    name: web
  target: {poolName: blue, version: "1.34", releaseVersion: 1.34.2-20251103, launchTemplateVersion: "7"}
  surge: 25%
  guard:
    defaultFloor: 50%
    maxInFlight: 2
    floors:
      default/web: 3
      default/api: 80%
    acceptUnprotected: [default/old]
  waits:
    propagation: 1m
    endpointPropagation: 500ms
    margin: 1s
    poll: 2s
    settle: 3s
    settleAfterOutage: 2m
    maxConnectionAge:
      '*': 5m
      default/api: 40s
    deadlines:
      surgeReady: 1h
      capacity: 5m
      observedOut: 1m
      connectionsDrained: 2m
      eviction: 3m
      replacementsServing: 4m
      endpointsRetired: 5m
      nodeGone: 6m
      guard: 7m
      completion: 8m
  drain:
    deleteEmptyDirData: true
    force: true
    protected: wait
    jobs: wait
    unreachableNodes: terminate
    neverUnlist: [default/mesh]
  handOver:
    mode: auto
    surplus: 50%
    workloads:
      default/web: {surplus: maxSurge}
      default/db: {mode: required, surplus: 100%}
  traffic:
    probes:
      - name: web
        urls: ['http://web.example/healthz']
        ratePerSecond: 20
        timeout: 2s
    lossBudget: 5
    watchAfter: 10s
  disabledRules: [capacity-guard]
`;
