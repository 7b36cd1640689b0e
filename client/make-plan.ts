import { systemClock } from '../adapters/clock/system-clock.ts';
import { createEksNodePools } from '../adapters/eks/node-pools.ts';
import { createElbLoadBalancers } from '../adapters/elb/load-balancers.ts';
import { createKubernetesCluster, type KubernetesCluster } from '../adapters/kubernetes/cluster.ts';
import type { PoolPlan } from '../core/plan/pool-plan.ts';
import type { Policy } from '../core/policy/policy.ts';
import { observeAndPlan } from '../operations/observe-and-plan.ts';
import { planClusterOfCaller } from './plan-cluster.ts';
import { readBoth } from './read-both.ts';

/**
 * Observes cluster and cloud with the caller's credentials and plans.
 * @throws AggregateError with what the cluster and the cloud failed with
 */
export async function makePlan(policy: Policy): Promise<PoolPlan> {
  let kubernetes: KubernetesCluster | undefined;
  try {
    const pools = createEksNodePools({ clock: systemClock });
    const loadBalancers = createElbLoadBalancers({ region: policy.cluster.region, clock: systemClock });
    const { plan } = await observeAndPlan(
      {
        pools,
        // Opened while the cloud is asked: that a kubeconfig is missing shall not keep back what the cloud has to say.
        open: () => {
          kubernetes = createKubernetesCluster({});
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
