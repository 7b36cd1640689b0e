import type { NodeRef } from '../core/model/node.ts';
import type { PoolFacts, PoolRef } from '../core/model/pool.ts';
import { NodeferryError, type Problem } from '../core/model/problem.ts';
import type { PlanInBrief } from '../core/plan/pool-plan.ts';
import { isInPlace, keepsTarget, newInstances, newNodes } from '../core/policy/members.ts';
import { readCapacityWait } from '../core/status/checkpoint.ts';
import { decideCapacity } from '../core/surge/missing-capacity.ts';
import { divideByNeed } from '../core/surge/zoned-size.ts';
import { decideNodesReady, decideNodesRegistered } from '../core/waits/surge.ts';
import type { Observer } from '../operations/observer.ts';
import { requireCapability } from '../operations/pools-by-provider.ts';
import type { Fencing } from '../ports/cluster/fencing.ts';
import type { Guarded, InstanceRequest } from '../ports/node-pools.ts';
import type { Ports } from '../ports/ports.ts';
import { beforeEachChange, openLooseFence, openPoolFence, type PoolStepInput } from './fence.ts';
import { type Outcome, pollUntil, retryUntilDone } from './polling.ts';
import { nodeRefOf } from './refs.ts';

/** The longest time between two observations of nodes that only have to run pods, ms: the cluster alone says whether they can. */
const maxPollIntervalMs = 2_500;

/** New nodes that are waited for. */
interface NodesReadyInput {
  readonly plan: PlanInBrief;
  /** The nodes only have to run pods so far: no load balancer has to have registered them. */
  readonly forPods?: boolean;
  /** Number of instances that the new pool was asked for. */
  readonly expected: number;
  /** Number that is enough when the cloud has no capacity for the others. */
  readonly enough?: number;
}

/** New nodes that are ready. */
interface NodesReady {
  readonly nodes: readonly NodeRef[];
  readonly seen: string;
  /** Why others are not, in the cloud's words; absent when all are. */
  readonly missing?: string;
}

/** Steps that bring up the new pool. */
export function createSurgeSteps(ports: Ports<Fencing>, observer: Observer) {
  const { clock, cluster, pools } = ports;
  return {
    /**
     * Creates the new pool; the token makes a second call change nothing. Before it does, it suspends that part of the old pool's scaling which must not
     * be on while a pool is being created. A pool that exists gets the instances that it lacks. `outdated`: nothing was changed, because the
     * pool is not what was planned for.
     */
    createPool: async (input: PoolStepInput & { plan: PlanInBrief }): Promise<Outcome<{ outdated?: Problem }>> => {
      const fence = openPoolFence(cluster, input);
      const guard = beforeEachChange(fence);
      return await retryUntilDone<{ outdated?: Problem }>(
        { clock, what: `creating ${input.plan.newPool.name}`, hint: 'Check quotas and permissions.' },
        async () => {
          const { plan } = input;
          const size = plan.surgeAtOnce ?? plan.surge;
          if (keepsTarget(plan.policy)) return await beginInFound(plan, size, guard);
          await pools.capabilitiesOf(plan.oldPool).scaling?.suspendFirst?.(plan.oldPool, guard);
          await requireCapability(pools, plan.oldPool, 'replacement').createPool({
            source: plan.oldPool,
            target: plan.policy.target,
            ...requestOf(plan, size),
            ...guard,
            run: plan.run,
            token: `${plan.run}-${plan.newPool.name}`,
            isLimit: plan.surgeAtOnce !== undefined,
          });
          return {};
        },
        fence.around,
      );
    },

    /** Sets the number of instances of the new pool; changes nothing when it has them. */
    resizePool: async (input: PoolStepInput & { plan: PlanInBrief; size: number }): Promise<Outcome> => {
      const { plan, size } = input;
      const fence = openPoolFence(cluster, input);
      const guard = beforeEachChange(fence);
      return await retryUntilDone(
        { clock, what: `resizing ${plan.newPool.name}`, hint: 'Check quotas and permissions.' },
        async () => {
          if (keepsTarget(plan.policy)) await growFound(plan, size, guard);
          else await growCreated(plan, size, guard);
          return {};
        },
        fence.around,
      );
    },

    /** Ends the changes of a run to a pool that it replaces in place. `keep`: the pool makes its instances like the new ones from now on. */
    settlePool: async (input: PoolStepInput & { pool: PoolRef; keep: boolean }): Promise<Outcome> => {
      const { pool, run, keep } = input;
      const { around } = openLooseFence(cluster, input);
      return await retryUntilDone(
        { clock, what: `ending the changes to ${pool.name}`, hint: pools.traitsOf(pool).scalingHint },
        async () => {
          await requireCapability(pools, pool, 'inPlace').settle(pool, { run, keep });
          return {};
        },
        around,
      );
    },

    /** Removes instances from the desired size that a pool never got, so that none arrives later. */
    trimPool: async (input: PoolStepInput & { pool: PoolRef }): Promise<Outcome> => {
      const { pool } = input;
      const { around } = openLooseFence(cluster, input);
      return await retryUntilDone(
        { clock, what: `trimming ${pool.name} to the instances that it has`, hint: pools.traitsOf(pool).scalingHint },
        async () => {
          if ((await pools.findPool(pool)) !== undefined) await requireCapability(pools, pool, 'size').trimPool(pool);
          return {};
        },
        around,
      );
    },

    /**
     * Waits until the new nodes are Ready, their DaemonSet pods too, and every target group has registered them; the latter not where the nodes
     * only have to run pods so far. Continues with fewer nodes where that is enough and the cloud has no capacity.
     */
    awaitNodesReady: async (input: NodesReadyInput): Promise<Outcome<NodesReady>> => {
      const { plan, enough } = input;
      const { waits } = plan.policy;
      const { deadlines, pollIntervalMs } = waits;
      const read = openRead(plan, input.forPods === true ? pollIntervalMs : 0);
      return await pollUntil<NodesReady>({
        clock,
        what: `new nodes of ${plan.newPool.name} to be ready`,
        deadlineMs: deadlines.nodesReadyMs,
        pollIntervalMs: input.forPods === true ? Math.min(maxPollIntervalMs, pollIntervalMs) : pollIntervalMs,
        hint: 'Check the new nodes and the cloud’s capacity; then resume, or abort to remove them.',
        poll: async ({ now, checkpoint }) => {
          const [pool, facts] = await read(now);
          const isReady = input.forPods === true ? decideNodesReady : decideNodesRegistered;
          const question = {
            facts,
            policy: plan.policy,
            ...(pool === undefined ? {} : { instances: newInstances(pool.instances, plan.policy) }),
          };
          const decision = isReady({ ...question, expected: input.expected });
          const nodes = newNodes(facts.cluster, plan.policy);
          if (decision.done) return { done: true, value: { nodes: nodes.map(nodeRefOf), seen: decision.reason } };
          const problems = pool === undefined ? [`${plan.newPool.name} is not there`] : pool.problems;
          const reason = [...problems, decision.reason].join('; ');
          if (pool === undefined || enough === undefined || !isReady({ ...question, expected: enough }).done)
            return { done: false, reason, checkpoint: {} };
          const ready = nodes.filter((node) => node.ready);
          const { goOn, capacityWait } = decideCapacity({
            pool,
            ready: ready.length,
            enough,
            before: readCapacityWait(checkpoint),
            now,
            waits,
          });
          if (goOn)
            return { done: true, value: { nodes: ready.map(nodeRefOf), seen: decision.reason, missing: reason } };
          return { done: false, reason, checkpoint: { capacityWait } };
        },
      });
    },
  };

  /** Reads the pool and everything that serves. What a cloud has told within `maxAgeMs` is not asked for again. */
  function openRead(plan: PlanInBrief, maxAgeMs: number) {
    let last: { readonly at: number; readonly pool: PoolFacts | undefined } | undefined;
    const readPool = async (now: number) => {
      if (last === undefined || now - last.at >= maxAgeMs) last = { at: now, pool: await pools.findPool(plan.newPool) };
      return last.pool;
    };
    return async (now: number) => await Promise.all([readPool(now), observer.serving(plan, { since: now - maxAgeMs })]);
  }

  /** A provider that replaces pools in place refuses, and changes nothing, when it can't tell old instances from new ones. */
  async function beginInFound(plan: PlanInBrief, size: number, guard: Guarded): Promise<{ outdated?: Problem }> {
    try {
      await growFound(plan, size, guard);
      return {};
    } catch (error) {
      if (error instanceof NodeferryError && error.problem.code === 'PlanOutdated') return { outdated: error.problem };
      throw error;
    }
  }

  /** A pool that the run has not created keeps the limits of its owner, and its size never goes down. */
  async function growFound(plan: PlanInBrief, size: number, guard: Guarded): Promise<void> {
    const { policy, newPool: pool, run } = plan;
    const { target, found = [] } = policy;
    if (isInPlace(policy)) {
      const old = found.map(({ instanceId }) => instanceId);
      return await requireCapability(pools, pool, 'inPlace').addInstances(pool, { target, size, run, old });
    }
    const { desiredSize } = await pools.describePool(pool);
    if (desiredSize >= size) return;
    await requireCapability(pools, pool, 'size').restoreSize(pool, { ...requestOf(plan, size), ...guard });
  }

  async function growCreated(plan: PlanInBrief, size: number, guard: Guarded): Promise<void> {
    const { newPool, run } = plan;
    await requireCapability(pools, newPool, 'replacement').resize(newPool, {
      ...requestOf(plan, size),
      ...guard,
      run,
    });
  }
}

/** So many new instances, with what each zone needs of them. */
function requestOf({ zones }: PlanInBrief, size: number): InstanceRequest {
  return { size, ...(zones && { zones: divideByNeed(size, zones) }) };
}
