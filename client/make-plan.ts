import { systemClock } from '../adapters/clock/system-clock.ts';
import { createEksNodePools } from '../adapters/eks/node-pools.ts';
import { createElbLoadBalancers } from '../adapters/elb/load-balancers.ts';
import { createKubernetesCluster, type KubernetesCluster } from '../adapters/kubernetes/cluster.ts';
import { servicesOfRun } from '../core/guard/services-of-run.ts';
import { NodeferryError } from '../core/model/problem.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import { buildPlan } from '../core/plan/build-plan.ts';
import type { PoolPlan } from '../core/plan/pool-plan.ts';
import { sharedAmong, type Trial, trialsOn, volumeClaimsOn } from '../core/pod-surge/questions.ts';
import { type Policy, surgesPods } from '../core/policy/policy.ts';
import { readBoth } from './read-both.ts';

/**
 * Looks at cluster and cloud with the caller's credentials and plans.
 * @throws AggregateError with what the cluster and the cloud failed with
 */
export async function makePlan(policy: Policy): Promise<PoolPlan> {
  const open: { kubernetes?: KubernetesCluster } = {};
  try {
    const pools = createEksNodePools({ clock: systemClock });
    const loadBalancers = createElbLoadBalancers({ region: policy.cluster.region, clock: systemClock });
    const [pool, { kubernetes, cluster }] = await readBoth(
      pools.describePool({ cluster: policy.cluster.name, region: policy.cluster.region, name: policy.pool.name }),
      observe(open),
    );
    const own = servicesOfRun(cluster, { policy, baselines: [] });
    const beside = cluster.services.filter((service) => !own.includes(service));
    const { groups, unsupported } = await loadBalancers.discover(own, { beside });
    const targetGroups = await loadBalancers.readTargets(groups);
    const facts = { cluster, targetGroups, unsupported, observedAt: systemClock.now() };
    const asked = surgesPods(policy) ? await askCluster(kubernetes, facts.cluster, policy) : undefined;
    return buildPlan({ policy, run: 'plan', pool, facts, ...asked });
  } finally {
    open.kubernetes?.close();
  }
}

/** Opens the way to the cluster too: that a kubeconfig is missing shall not keep back what the cloud has to say. */
async function observe(open: { kubernetes?: KubernetesCluster }) {
  const kubernetes = createKubernetesCluster({});
  open.kubernetes = kubernetes;
  return { kubernetes, cluster: await kubernetes.observe() };
}

/** What no look shows of pods that may be handed over; the run's preflight asks the same. */
async function askCluster(kubernetes: KubernetesCluster, cluster: ClusterFacts, policy: Policy) {
  const nodes = cluster.nodes.filter(({ pool }) => pool === policy.pool.name);
  const sharedVolumeClaims = sharedAmong(await kubernetes.readVolumeClaims(volumeClaimsOn(nodes, cluster)));
  const denials = new Map<string, string>();
  for (const { workload, pod, from } of trialsOn(nodes, { cluster, policy, sharedVolumeClaims })) {
    const denial = await tryRelease(kubernetes, { pod, from });
    if (denial !== undefined) denials.set(workload, denial);
  }
  return { sharedVolumeClaims, denials };
}

/** Who may look at pods may not be allowed to change them: the run's own preflight tries it with the worker's role. */
async function tryRelease(kubernetes: KubernetesCluster, { pod, from }: Omit<Trial, 'workload'>) {
  try {
    return await kubernetes.tryRelease(pod, from);
  } catch (error) {
    if (error instanceof NodeferryError && error.problem.code === 'Forbidden') return undefined;
    throw error;
  }
}
