import { systemClock } from '../adapters/clock/system-clock.ts';
import type { KubernetesCluster } from '../adapters/kubernetes/cluster.ts';
import type { PoolPlan } from '../core/plan/pool-plan.ts';
import type { Policy } from '../core/policy/policy.ts';
import { observeAndPlan } from '../operations/observe-and-plan.ts';
import { openCluster } from '../wiring/cluster.ts';
import { openLoadBalancers } from '../wiring/load-balancers.ts';
import { openNodePools } from '../wiring/node-pools.ts';
import { type ClusterOptions, clusterOptionsOf } from './cluster-options.ts';
import { planClusterOfCaller } from './plan-cluster.ts';
import { readBoth } from './read-both.ts';

/**
 * Observes the cluster and the cloud with the caller's credentials, and makes the plan.
 * @throws AggregateError with the failures of the cluster and of the cloud
 */
export async function makePlan(policy: Policy, options: ClusterOptions): Promise<PoolPlan> {
  let kubernetes: KubernetesCluster | undefined;
  try {
    const pools = openNodePools({ clock: systemClock });
    const loadBalancers = openLoadBalancers({ awsRegion: policy.cluster.region, clock: systemClock });
    const { plan } = await observeAndPlan(
      {
        pools,
        // Opened while the cloud is being queried: a missing kubeconfig must not hide an error of the cloud.
        open: () => {
          kubernetes = openCluster(clusterOptionsOf(options));
          return planClusterOfCaller({ clock: systemClock, cluster: kubernetes, loadBalancers });
        },
        readBoth: async (one, other) => await readBoth(one(), other()),
      },
      { policy, run: 'plan' },
    );
    return plan;
  } finally {
    kubernetes?.close();
  }
}
