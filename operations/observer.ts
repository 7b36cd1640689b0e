import { type RunScope, servicesOfRun } from '../core/guard/services-of-run.ts';
import { noteSilent } from '../core/guard/silent-groups.ts';
import type { ServiceFacts } from '../core/model/service.ts';
import type { ClusterFacts, ServingFacts } from '../core/model/serving.ts';
import { hasPods, type TargetGroupBase, type TargetGroupFacts } from '../core/model/target-group.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { ClusterObserver } from '../ports/cluster/observer.ts';
import type { Discovery, ReadOptions } from '../ports/load-balancers.ts';
import type { Ports } from '../ports/ports.ts';
import { createDiscoveryCache } from './discovery-cache.ts';

/** Observes cluster and load balancers together; of load balancers only those that the run can harm. */
export interface Observer {
  /**
   * Observes everything that serves: afresh, unless `since` says which earlier reads are new enough. Which load balancers exist, and how they
   * are configured, may come from a cache.
   */
  serving(run: RunScope, options?: Pick<ReadOptions, 'since'>): Promise<ServingFacts>;
  /** Observes afresh without any cache: what an operator has just changed is seen, and every unsupported Service is reported. */
  observeFresh(policy: Policy): Promise<ServingFacts>;
  /**
   * Observes for a decision under a lock: the cluster and the targets of these Services afresh, those of the others as they were earlier. Does
   * nothing slow: undefined when by now the run has a Service whose target groups have not been discovered.
   */
  refresh(earlier: ServingFacts, run: RunScope, services: readonly string[]): Promise<ServingFacts | undefined>;
  /** Observes the cluster alone, afresh. */
  cluster(): Promise<ClusterFacts>;
  /**
   * Observes the cluster afresh, with the target groups whose targets are pods. States that were read since then (epoch ms) are fresh enough. Where no
   * pods were targets when the cloud answered last, it need not answer now.
   */
  withPodTargets(run: RunScope, since: number): Promise<ClusterFacts>;
}

/** How long load balancers that did not answer, and whose answer nobody waits for, are left alone, ms. */
const askAgainMs = 30_000;

/** Creates the one observer of a worker, so that all its steps share what was discovered. */
export function createObserver(ports: Pick<Ports<ClusterObserver>, 'clock' | 'cluster' | 'loadBalancers'>): Observer {
  const { clock, cluster, loadBalancers } = ports;
  const discovering = createDiscoveryCache(ports);

  async function observeAt(
    discover: (own: readonly ServiceFacts[], seen: ClusterFacts) => Promise<Discovery>,
    run: RunScope,
    options?: ReadOptions,
  ): Promise<ServingFacts> {
    const seen = await cluster.observe();
    const own = servicesOfRun(seen, run);
    const { groups, unsupported } = await discover(own, seen);
    const read = await discovering.using(own, async () => await loadBalancers.readTargets(groups, options));
    const targetGroups = withSilent(read, run);
    // Load balancers may take seconds to answer, the cluster does not: it is read last, so that the observation is of one moment.
    const facts = withTargets(await cluster.observe(), targetGroups);
    return { cluster: facts, targetGroups, unsupported, observedAt: clock.now() };
  }

  const lastRead = new Map<string, { readonly at: number; readonly targets: TargetGroupFacts['targets'] }>();

  /** Many nodes that are emptied together share the states. */
  async function readShared(groups: readonly TargetGroupBase[], since: number): Promise<readonly TargetGroupFacts[]> {
    const stale = groups.filter(({ id }) => (lastRead.get(id)?.at ?? Number.NEGATIVE_INFINITY) < since);
    const at = clock.now();
    const read = stale.length === 0 ? [] : await loadBalancers.readTargets(stale, { since });
    for (const { id, targets } of read) lastRead.set(id, { at, targets });
    return groups.flatMap((group) => {
      const { targets } = lastRead.get(group.id) ?? {};
      return targets === undefined ? [] : [{ ...group, targets }];
    });
  }

  let askAgainAt = Number.NEGATIVE_INFINITY;

  /** Load balancers that send to nodes only have nothing to do with pods that leave: while they can't be asked, pods move all the same. */
  async function findPodGroups(
    own: readonly ServiceFacts[],
    { nodes }: ClusterFacts,
  ): Promise<readonly TargetGroupBase[]> {
    const last = discovering.recallLast(own)?.groups.filter(hasPods);
    const isDispensable = last?.length === 0;
    if (isDispensable && clock.now() < askAgainAt) return last;
    try {
      return (await discovering.find(own, providerIdsOf(nodes))).groups.filter(hasPods);
    } catch (error) {
      if (!isDispensable) throw error;
      askAgainAt = clock.now() + askAgainMs;
      return last;
    }
  }

  return {
    cluster: async () => await cluster.observe(),
    serving: async (run, options) =>
      await observeAt(async (own, { nodes }) => await discovering.find(own, providerIdsOf(nodes)), run, options),
    observeFresh: async (policy) =>
      await observeAt(
        async (own, { services, nodes }) => {
          const beside = services.filter((service) => !own.includes(service));
          return await discovering.findAnew(own, beside, providerIdsOf(nodes));
        },
        { policy, baselines: [] },
      ),
    withPodTargets: async (run, since) => {
      const seen = await cluster.observe();
      const own = servicesOfRun(seen, run);
      const ofPods = await findPodGroups(own, seen);
      if (ofPods.length === 0) return withTargets(seen, []);
      const podTargets = await discovering.using(own, async () => await readShared(ofPods, since));
      return withTargets(await cluster.observe(), withSilent(podTargets, run));
    },
    refresh: async (earlier, run, services) => {
      const own = servicesOfRun(await cluster.observe(), run);
      const known = discovering.recall(own);
      if (known === undefined) return undefined;
      const asked = known.groups.filter(({ service }) => services.includes(service));
      const read = await discovering.using(own, async () =>
        asked.length === 0 ? [] : await loadBalancers.readTargets(asked, { first: true }),
      );
      const states = new Map([...earlier.targetGroups, ...read].map((group) => [group.id, group.targets]));
      const targetGroups = known.groups.map((group) => ({ ...group, targets: states.get(group.id) }));
      const seen = await cluster.observe();
      const isWhole = targetGroups.every((group): group is TargetGroupFacts => group.targets !== undefined);
      if (!isWhole || discovering.recall(servicesOfRun(seen, run)) === undefined) return undefined;
      const noted = withSilent(targetGroups, run);
      return {
        ...earlier,
        cluster: withTargets(seen, noted),
        targetGroups: noted,
        unsupported: known.unsupported,
        observedAt: clock.now(),
      };
    },
  };
}

/** Only a run that knows what it has observed before can tell. */
function withSilent(groups: readonly TargetGroupFacts[], { baselines }: RunScope): readonly TargetGroupFacts[] {
  return baselines === undefined ? groups : noteSilent(groups, baselines);
}

function withTargets(cluster: ClusterFacts, groups: readonly TargetGroupFacts[]): ClusterFacts {
  return { ...cluster, podTargets: groups.filter(hasPods) };
}

function providerIdsOf(nodes: ClusterFacts['nodes']): readonly string[] {
  return nodes.flatMap(({ providerId }) => providerId ?? []);
}
