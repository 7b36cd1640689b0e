import type { BlockedPod, PodAction, UnlistedSince } from '../core/drain/actions.ts';
import { decideEvictionRound } from '../core/drain/eviction-round.ts';
import { leaveByThemselves, untilNextMayGo } from '../core/drain/leaving.ts';
import { decideRetirement } from '../core/drain/retirement.ts';
import { isReadyEndpoint, servicesOf } from '../core/drain/services-of-pod.ts';
import { trackUnlisted } from '../core/drain/unlist.ts';
import type { PodFacts } from '../core/model/pod.ts';
import { NodeferryError } from '../core/model/problem.ts';
import type { ServiceFacts } from '../core/model/service.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { BlockedProgress } from '../core/status/blocked.ts';
import type { Evidence } from '../core/status/status.ts';
import type { Ports } from '../ports/ports.ts';
import { disruptionLockNames, withDisruptionLocks } from './disruption-locks.ts';
import type { Looking } from './looking.ts';
import type { NodeStepInput } from './node-steps.ts';
import { type Outcome, pollUntil } from './polling.ts';
import { whileLocked } from './pool-lock.ts';

/** Pods come and go within seconds, and a look at the cluster is cheap, ms. */
const longestPauseMs = 500;

/** Steps that take the pods off one node. */
export function createPodSteps(ports: Ports, looking: Looking) {
  const { clock, cluster } = ports;

  return {
    /** Evicts in rounds until every pod that can go is gone by UID and no volume is attached. Nothing is forced. */
    evictPods: async (input: NodeStepInput): Promise<Outcome<{ evidence: readonly Evidence[] }>> => {
      const { node, policy, run } = input;
      return await pollUntil<{ evidence: readonly Evidence[] }>({
        clock,
        what: `pods to leave ${node.name}`,
        deadlineMs: policy.waits.deadlines.evictionMs,
        pollMs: lookEveryMs(policy),
        hint: 'Scale the workload up or loosen the budget that is named, then resume; or abort.',
        look: whileLocked(cluster, input, async ({ now, memo }) => {
          const facts = await looking.cluster();
          const unlistedAt = trackUnlisted(since(memo['unlistedAt']), podsOn(facts, node.name), facts.services, now);
          const round = decideEvictionRound({ node, facts, policy, run, now, unlistedAt });
          if (round.remaining === 0 && !round.volumesAttached) {
            const detail = `no pod left on ${node.name}`;
            return { done: true, value: { evidence: [{ kind: 'evicted', at: now, detail }] } };
          }
          const refused: BlockedPod[] = [];
          for (const action of round.actions) {
            const blocked = await carryOut(action, input, facts, unlistedAt);
            if (blocked !== undefined) refused.push(blocked);
          }
          const blocked = tellBlocked([...round.blocked, ...refused], memo['blocked'], now);
          const first = blocked[0];
          const reason =
            first === undefined
              ? round.reason
              : `${round.remaining} pods left on ${node.name}; ${first.pod}: ${first.reason}`;
          const comes = leaveByThemselves(podsOn(facts, node.name), unlistedAt, policy.waits, now);
          const againInMs = nextLookMs(round.actions, unlistedAt, policy);
          return { done: false, reason, blocked, comes, memo: { unlistedAt, blocked }, againInMs };
        }),
      });
    },

    /** Takes the endpoints off the node that eviction leaves there (DaemonSets): taint, unlist, wait, delete. */
    retireEndpoints: async (
      input: NodeStepInput,
    ): Promise<Outcome<{ evidence: readonly Evidence[]; notProtected: readonly string[] }>> => {
      const { node, policy, run } = input;
      return await pollUntil<{ evidence: readonly Evidence[]; notProtected: readonly string[] }>({
        clock,
        what: `endpoints to leave ${node.name}`,
        deadlineMs: policy.waits.deadlines.endpointsRetiredMs,
        pollMs: lookEveryMs(policy),
        hint: 'Look at the DaemonSet pods that are named; then resume.',
        look: whileLocked(cluster, input, async ({ now, memo }) => {
          const facts = await looking.cluster();
          const unlistedAt = trackUnlisted(since(memo['unlistedAt']), podsOn(facts, node.name), facts.services, now);
          const { taint, actions, remaining, notProtected, reason } = decideRetirement({
            node,
            facts,
            policy,
            run,
            now,
            unlistedAt,
          });
          if (remaining === 0) {
            return {
              done: true,
              value: { evidence: [{ kind: 'endpoints-retired', at: now, detail: reason }], notProtected },
            };
          }
          if (taint) {
            await cluster.taintRetiring(node, run);
            return { done: false, reason, memo: { unlistedAt }, againInMs: 100 };
          }
          for (const action of actions) await act(action, run);
          const comes = leaveByThemselves(podsOn(facts, node.name), unlistedAt, policy.waits, now);
          const againInMs = nextLookMs(actions, unlistedAt, policy);
          return { done: false, reason, comes, memo: { unlistedAt }, againInMs };
        }),
      });
    },
  };

  /** A pod that was unlisted just now is looked at at once, to see it out of its endpoints; others when the next of them may go. */
  function nextLookMs(actions: readonly PodAction[], unlistedAt: UnlistedSince, policy: Policy): number {
    if (actions.some(({ kind }) => kind === 'unlist')) return Math.min(200, lookEveryMs(policy));
    const due = untilNextMayGo(unlistedAt, policy.waits, clock.now()) ?? Number.POSITIVE_INFINITY;
    return Math.min(due, lookEveryMs(policy));
  }

  /** Carries out one act; answers what held it up, when something did. */
  async function carryOut(
    action: PodAction,
    input: NodeStepInput,
    facts: ClusterFacts,
    unlistedAt: UnlistedSince,
  ): Promise<BlockedPod | undefined> {
    const budgets = facts.budgets.filter((budget) => budget.podUids.includes(action.pod.uid));
    const pod = facts.pods.find((other) => other.uid === action.pod.uid);
    const services = pod === undefined ? [] : servicesOf(pod, facts.services);
    if (!needsTurn(action, pod, budgets.length > 0, services)) return await act(action, input.run);
    const holder = `${input.run}/${input.node.name}`;
    try {
      return await withDisruptionLocks(ports, disruptionLockNames(budgets, services), holder, async () => {
        const fresh = await looking.cluster();
        const again = decideEvictionRound({ ...input, facts: fresh, now: clock.now(), unlistedAt });
        if (!again.actions.some((other) => other.kind === action.kind && other.pod.uid === action.pod.uid))
          return undefined;
        const answer = await cluster.evict(action.pod, { dryRun: action.kind === 'unlist' });
        if (answer.outcome !== 'evicted')
          return answer.outcome === 'gone' ? undefined : blockedBy(action, answer.message, budgets[0]);
        if (action.kind === 'unlist') await cluster.unlist(action.pod, action.removeLabels, input.run);
        await seeLeaving(action.pod.uid);
        return undefined;
      });
    } catch (error) {
      if (!(error instanceof NodeferryError) || error.problem.code !== 'LockHeld') throw error;
      return blockedBy(action, `another node moves a pod of the same budget or Service: ${error.message}`, budgets[0]);
    }
  }

  async function act(action: PodAction, run: string): Promise<BlockedPod | undefined> {
    switch (action.kind) {
      case 'unlist':
        await cluster.unlist(action.pod, action.removeLabels, run);
        return undefined;
      case 'relist':
        await cluster.relist(action.pod, run);
        return undefined;
      case 'delete':
        await cluster.deletePod(action.pod);
        return undefined;
      case 'evict': {
        const answer = await cluster.evict(action.pod, { dryRun: false });
        return answer.outcome === 'evicted' || answer.outcome === 'gone'
          ? undefined
          : blockedBy(action, answer.message, undefined);
      }
    }
  }

  /** Others decide from what they see: the lock is given back only once a look shows the pod on its way. */
  async function seeLeaving(uid: string): Promise<void> {
    for (let i = 0; i < 50; i++) {
      const pod = (await looking.cluster()).pods.find((other) => other.uid === uid);
      if (pod === undefined || pod.unlisted !== undefined || pod.terminating) return;
      await clock.sleep(100);
    }
  }
}

/** Whether an act takes an endpoint that nothing but the order of our own nodes protects; the API server keeps the budgets of evictions. */
function needsTurn(
  action: PodAction,
  pod: PodFacts | undefined,
  budgeted: boolean,
  services: readonly ServiceFacts[],
): boolean {
  if (action.kind === 'unlist') return true;
  if (action.kind !== 'evict' || budgeted || pod === undefined) return false;
  return services.some((service) => isReadyEndpoint(pod, service));
}

function podsOn(facts: ClusterFacts, node: string) {
  return facts.pods.filter((pod) => pod.node === node);
}

function since(value: unknown): UnlistedSince {
  return typeof value === 'object' && value !== null ? (value as UnlistedSince) : {};
}

function lookEveryMs({ waits }: Policy): number {
  return Math.min(longestPauseMs, waits.pollMs);
}

function blockedBy(action: PodAction, reason: string, budget: ClusterFacts['budgets'][number] | undefined): BlockedPod {
  return {
    pod: action.pod,
    budget: budget === undefined ? undefined : `${budget.namespace}/${budget.name}`,
    needs: budget?.desiredHealthy ?? 0,
    has: budget?.currentHealthy ?? 0,
    reason,
  };
}

/** Since when each pod has been blocked, kept from look to look. */
function tellBlocked(blocked: readonly BlockedPod[], earlier: unknown, now: number): readonly BlockedProgress[] {
  const known: readonly BlockedProgress[] = Array.isArray(earlier) ? earlier : [];
  return blocked.slice(0, 10).map(({ pod, budget, needs, has, reason }) => {
    const name = `${pod.namespace}/${pod.name}`;
    return { pod: name, budget, needs, has, since: known.find((one) => one.pod === name)?.since ?? now, reason };
  });
}
