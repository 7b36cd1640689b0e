/** The minimum duration of an upgrade in the lab, from the lab's configured delays and what its instances, pods and controllers take. */

import { systemClock } from '../adapters/clock/system-clock.ts';
import { type LowerBound, type LowerBoundDelays, lowerBound } from '../core/plan/lower-bound.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { NodeStatus, RunReport } from '../core/status/status.ts';
import type { RunningLab } from '../lab/running-lab.ts';
import type { TryRelease } from '../operations/ask-before-pod-surge.ts';
import { observeAndPlan } from '../operations/observe-and-plan.ts';
import { createObserver } from '../operations/observer.ts';
import { openCluster } from '../wiring/cluster.ts';
import { openLoadBalancers } from '../wiring/load-balancers.ts';
import { openNodePools } from '../wiring/node-pools.ts';
import { measureStart } from './boot.ts';
import { meanUntilAllMs, meanUntilOneMs } from './health-checks.ts';

/** The longest request that the demo sends, ms. A pod that is told to stop finishes it first. */
const maxRequestMs = 20_000;

/** The lower bound of an upgrade; it is known once the run has ended. */
interface UpgradeBound {
  atEnd(run: RunReport): Promise<LowerBound>;
}

/** Observes the pool before its upgrade begins, for the bound. */
export async function boundUpgrade(lab: RunningLab, policy: Policy): Promise<UpgradeBound> {
  // The SDKs of this process must find the simulated cloud, as its command line would.
  Object.assign(process.env, { ...lab.opsEnv, ...lab.cloud.outside, KUBECONFIG: lab.kubeconfigPath });
  const cluster = openCluster({ kubeconfig: lab.kubeconfigPath });
  try {
    const pools = openNodePools({ clock: systemClock });
    const loadBalancers = openLoadBalancers({ awsRegion: policy.cluster.region, clock: systemClock });
    const observer = createObserver({ clock: systemClock, cluster, loadBalancers });
    const tryRelease: TryRelease = async ({ pod, from }) => await cluster.tryRelease(pod, from);
    const open = () => ({ cluster, observer, tryRelease });
    const { plan, observation } = await observeAndPlan({ pools, open }, { policy, run: 'bound' });
    const { facts } = observation;
    const { targetGroups } = facts;
    const { delays } = lab.cloud;
    const checks = { nodes: plan.nodes.length, groups: targetGroups.length };
    const untilMs = (mean: typeof meanUntilAllMs) =>
      Math.max(
        0,
        ...targetGroups.map(({ healthCheck: { healthyThreshold: threshold, intervalMs } }) =>
          mean({ ...checks, threshold, intervalMs }),
        ),
      );
    // A target is `initial` until its first health checks have passed (Elastic Load Balancing, "Target health status").
    const firstVerdictMs = untilMs(meanUntilAllMs);
    const local = plan.services.some((service) => service.externalTrafficPolicy === 'Local');
    const question = { facts, policy, baselines: plan.baselines, nodes: plan.nodes };
    const boundWith = (measured: Pick<LowerBoundDelays, 'bootMs' | 'replacementReadyMs' | 'deregistrationMs'>) =>
      lowerBound({
        ...question,
        delays: {
          ...measured,
          registrationMs: delays.registrationMs + firstVerdictMs,
          hostRegistrationMs: delays.registrationMs,
          propagationMs: delays.deregistrationPropagationMs,
          deregistrationDelayMs: Math.max(0, ...targetGroups.map((group) => group.deregistrationDelayMs)),
          evictionMs: maxRequestMs,
          healthyMs: local ? firstVerdictMs + delays.healthyPropagationMs : 0,
          firstHealthyMs: local ? untilMs(meanUntilOneMs) + delays.healthyPropagationMs : 0,
          forwardedMs: Math.max(0, ...plan.services.map((service) => service.forwardedMs)),
          terminationMs: delays.instanceTerminationMs,
          poolDeletionMs: delays.nodegroupDeleteMs,
        },
      });
    return {
      atEnd: async ({ newPool, nodes }) => {
        const { bootMs, podMs } = await measureStart(lab, newPool);
        return boundWith({
          bootMs: delays.nodegroupCreateMs + bootMs,
          replacementReadyMs: podMs,
          deregistrationMs: measureDeregistrationMs(lab, nodes),
        });
      },
    };
  } finally {
    cluster.close();
  }
}

/**
 * The shortest time, ms, that controllers took to deregister a node everywhere, from the observation in which it was excluded: a little more than they
 * take, and never more than until the node was seen deregistered. 0 when no node was.
 */
function measureDeregistrationMs({ cloud }: RunningLab, nodes: readonly NodeStatus[]): number {
  const measured = nodes.flatMap(({ node, evidence }) => {
    const excludedAt = evidence.findLast(({ kind }) => kind === 'excluded')?.at;
    const seenAt = evidence.findLast(({ kind }) => kind === 'deregistered')?.at;
    const deregisteredAt = cloud.deregisteredAt(node.instanceId);
    if (excludedAt === undefined || seenAt === undefined || deregisteredAt === undefined) return [];
    return [Math.min(deregisteredAt, seenAt) - excludedAt];
  });
  return measured.length === 0 ? 0 : Math.max(0, Math.min(...measured));
}
