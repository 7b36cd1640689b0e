import type { UnlistedSince } from '../core/drain/actions.ts';
import { leaveByThemselves } from '../core/drain/leaving.ts';
import { decidePutBack } from '../core/drain/put-back.ts';
import { hasSpread, trackUnlisted } from '../core/drain/unlist.ts';
import { findLostProtection } from '../core/guard/unprotected.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { PoolRef } from '../core/model/pool.ts';
import { NodeferryError } from '../core/model/problem.ts';
import type { ServingFacts } from '../core/model/serving.ts';
import type { ServicePlan } from '../core/plan/pool-plan.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { Evidence } from '../core/status/status.ts';
import { evictionNotBefore, isEnabled } from '../core/waits/formulas.ts';
import { decideDrained, decideObservedOut, targetsOf } from '../core/waits/load-balancers.ts';
import { decideReplacementsServing, type EndpointSnapshot, snapshotEndpoints } from '../core/waits/replacements.ts';
import type { Ports } from '../ports/ports.ts';
import type { Looking } from './looking.ts';
import { type Outcome, pollUntil } from './polling.ts';
import { whileLocked } from './pool-lock.ts';

/** Time for a target group to let go after the drain's own timer, ms. */
const drainGraceMs = 60_000;

/** The node that a step is about, and what it needs to know of the run. */
export interface NodeStepInput {
  readonly run: string;
  readonly node: NodeRef;
  readonly pool: PoolRef;
  readonly policy: Policy;
  readonly services: readonly ServicePlan[];
}

/** Steps that take one node out of its load balancers, end it, or put it back. */
export function createNodeSteps(ports: Ports, looking: Looking) {
  const { clock, cluster, pools } = ports;
  return {
    /**
     * Excludes the node from load balancers and waits until every target group is observed to have let go. `before` counts the
     * ready endpoints of its Services, for the wait on their replacements.
     */
    stepOutNode: async (
      input: NodeStepInput,
    ): Promise<Outcome<{ evidence: readonly Evidence[]; before: EndpointSnapshot }>> => {
      const { node, run, policy } = input;
      return await pollUntil<{ evidence: readonly Evidence[]; before: EndpointSnapshot }>({
        clock,
        what: `${node.name} to leave its load balancers`,
        deadlineMs: policy.waits.deadlines.observedOutMs,
        pollMs: policy.waits.pollMs,
        hint: 'Check that the cloud controller manager runs and sees the exclude label; then resume.',
        look: whileLocked(cluster, input, async ({ now, memo }) => {
          const facts = await looking.serving();
          const before =
            (memo['before'] as EndpointSnapshot | undefined) ?? snapshotEndpoints(node, facts, input.services);
          const how = await cluster.exclude(node, run);
          if (how === 'gone') await requireDeadMachine(input);
          const excludedAt = typeof memo['excludedAt'] === 'number' ? memo['excludedAt'] : clock.now();
          const detail =
            how === 'already' ? 'excluded by somebody else before' : 'label exclude-from-external-load-balancers';
          const excluded = { kind: 'excluded', at: excludedAt, detail } as const;
          if (memo['excludedAt'] === undefined)
            await tell(node, 'SteppedOut', `excluded from load balancers by run ${run}`);
          const decision = isEnabled(policy, 'wait-for-deregistration')
            ? (unseen(input, facts) ?? decideObservedOut(node, facts.targetGroups))
            : { done: true, reason: 'not looked at: the rule wait-for-deregistration is switched off' };
          // The look was taken before the label was set: it proves nothing in the first round.
          if (!decision.done || (memo['excludedAt'] === undefined && isEnabled(policy, 'wait-for-deregistration'))) {
            const again = memo['excludedAt'] === undefined ? { againInMs: Math.min(500, policy.waits.pollMs) } : {};
            return { done: false, reason: decision.reason, memo: { before, excludedAt }, ...again };
          }
          const out = { kind: 'observed-out', at: now, detail: decision.reason } as const;
          return { done: true, value: { evidence: [excluded, out], before } };
        }),
      });
    },

    /** Waits until the timer is over AND no target group lists the node. A node that comes back is excluded again. */
    awaitDrained: async (
      input: NodeStepInput & { readonly observedOutAt: number },
    ): Promise<Outcome<{ evidence: readonly Evidence[]; outSince: number }>> => {
      const { node, run, policy } = input;
      return await pollUntil<{ evidence: readonly Evidence[]; outSince: number }>({
        clock,
        what: `connections of ${node.name} to end`,
        // A deregistration delay may be up to an hour: the deadline never ends before what it waits for.
        deadlineMs: Math.max(
          policy.waits.deadlines.connectionsDrainedMs,
          evictionNotBefore(input.services, 0) + drainGraceMs,
        ),
        pollMs: policy.waits.pollMs,
        hint: 'Check what keeps the node registered; then resume.',
        look: whileLocked(cluster, input, async ({ now, memo }) => {
          const outSince = typeof memo['outSince'] === 'number' ? memo['outSince'] : input.observedOutAt;
          const notBefore = evictionNotBefore(input.services, outSince);
          if (!isEnabled(policy, 'wait-for-deregistration')) {
            if (now >= notBefore) return { done: true, value: { evidence: [], outSince } };
            return { done: false, reason: `timer of ${node.name}`, memo: { outSince }, againInMs: notBefore - now };
          }
          const facts = await looking.serving();
          const blind = unseen(input, facts);
          if (blind !== undefined) return { ...blind, memo: { outSince } };
          const decision = decideDrained(node, facts.targetGroups, now, notBefore);
          if (decision.done) {
            return {
              done: true,
              value: { evidence: [{ kind: 'drained', at: now, detail: decision.reason }], outSince },
            };
          }
          if (decision.backIn) {
            await cluster.exclude(node, run);
            return { done: false, reason: decision.reason, memo: { outSince: now } };
          }
          const untilTimer = now < notBefore ? { againInMs: Math.min(policy.waits.pollMs, notBefore - now) } : {};
          return { done: false, reason: decision.reason, memo: { outSince }, ...untilTimer };
        }),
      });
    },

    /** Waits until every Service that had endpoints on the node has as many as before, and their nodes are healthy. */
    awaitReplacements: async (
      input: NodeStepInput & { readonly before: EndpointSnapshot },
    ): Promise<Outcome<{ evidence: readonly Evidence[] }>> => {
      const { node, policy } = input;
      if (!isEnabled(policy, 'wait-for-replacements')) return { outcome: 'done', at: clock.now(), evidence: [] };
      return await pollUntil<{ evidence: readonly Evidence[] }>({
        clock,
        what: `replacements of the pods of ${node.name} to serve`,
        deadlineMs: policy.waits.deadlines.replacementsServingMs,
        pollMs: policy.waits.pollMs,
        hint: 'Look at the pods that are not Ready or can’t be placed; then resume.',
        look: async ({ now }) => {
          const facts = await looking.serving();
          const { before, services, pool } = input;
          const decision = decideReplacementsServing({ facts, services, before, oldPool: pool.name });
          if (!decision.done) return { done: false, reason: decision.reason };
          return { done: true, value: { evidence: [{ kind: 'serving-elsewhere', at: now, detail: decision.reason }] } };
        },
      });
    },

    /** Waits until connections that merely pass through the node have reached their greatest age. */
    awaitTransit: async (
      input: NodeStepInput & { readonly notBefore: number },
    ): Promise<Outcome<{ evidence: readonly Evidence[] }>> =>
      await pollUntil<{ evidence: readonly Evidence[] }>({
        clock,
        what: `connections through ${input.node.name} to end`,
        deadlineMs: undefined,
        pollMs: input.policy.waits.pollMs,
        hint: 'Resume.',
        look: async ({ now }) => {
          const left = Math.ceil((input.notBefore - now) / 1000);
          if (left > 0) {
            return {
              done: false,
              reason: `connections through the node may live for ${left} s`,
              againInMs: input.notBefore - now,
            };
          }
          const detail = 'older than the longest connection age';
          return { done: true, value: { evidence: [{ kind: 'transit-ended', at: now, detail }] } };
        },
      }),

    /** Terminates that very machine, waits until it is, then deletes its Node object and sees it gone. */
    terminateNode: async (input: NodeStepInput): Promise<Outcome<{ evidence: readonly Evidence[] }>> => {
      const { node, pool, policy } = input;
      return await pollUntil<{ evidence: readonly Evidence[] }>({
        clock,
        what: `${node.name} (${node.instanceId}) to be gone`,
        deadlineMs: policy.waits.deadlines.nodeGoneMs,
        pollMs: policy.waits.pollMs,
        hint: 'Look at the instance and its lifecycle hooks; then resume.',
        look: whileLocked(cluster, input, async ({ memo }) => {
          if (memo['asked'] !== true) {
            await tell(node, 'Terminating', `terminating ${node.instanceId} of ${pool.name}`);
            await pools.terminateInstance(pool, node.instanceId);
            return { done: false, reason: `${node.instanceId} was asked to terminate`, memo: { asked: true } };
          }
          const state = await pools.observeInstance(pool, node.instanceId);
          if (state !== 'terminated') return { done: false, reason: `${node.instanceId} is ${state}` };
          const terminatedAt = typeof memo['terminatedAt'] === 'number' ? memo['terminatedAt'] : clock.now();
          await cluster.deleteNode(node);
          if ((await looking.cluster()).nodes.some((other) => other.uid === node.uid)) {
            return {
              done: false,
              reason: `Node ${node.name} is being deleted`,
              memo: { asked: true, terminatedAt },
              againInMs: 500,
            };
          }
          return {
            done: true,
            value: {
              evidence: [
                { kind: 'terminated', at: terminatedAt, detail: node.instanceId },
                { kind: 'node-gone', at: clock.now(), detail: `Node ${node.name} is gone` },
              ],
            },
          };
        }),
      });
    },

    /** Puts a node back that was not terminated: its pods into their Services, the node into its load balancers. */
    putBackNode: async (input: NodeStepInput): Promise<Outcome<{ evidence: readonly Evidence[] }>> => {
      const { node, run, policy } = input;
      const put = await pollUntil<object>({
        clock,
        what: `pods of ${node.name} to be put back`,
        deadlineMs: policy.waits.deadlines.evictionMs,
        pollMs: Math.min(1_000, policy.waits.pollMs),
        hint: 'Resume to try again.',
        look: async ({ now, memo }) => {
          const { pods, services } = await looking.cluster();
          const unlisted = pods.filter((pod) => pod.node === node.name && pod.unlisted?.by === run);
          const known = (memo['unlistedAt'] as UnlistedSince | undefined) ?? {};
          const unlistedAt = trackUnlisted(known, unlisted, services, now);
          for (const action of decidePutBack(node, unlisted, run)) {
            if (action.kind === 'relist') await cluster.relist(action.pod, run);
            // Until every kube-proxy knows that it is out of its endpoints, the pod still gets connections.
            else if (hasSpread(action.pod, services, unlistedAt, policy.waits, now))
              await cluster.evict(action.pod, { dryRun: false });
          }
          if (unlisted.length > 0) {
            const comes = leaveByThemselves(unlisted, unlistedAt, policy.waits, now);
            const reason = `${unlisted.length} unlisted pods on ${node.name}`;
            return { done: false, reason, comes, memo: { unlistedAt } };
          }
          await cluster.untaintRetiring(node, run);
          await cluster.include(node, run);
          return { done: true, value: {} };
        },
      });
      if (put.outcome !== 'done') return put;
      await tell(node, 'PutBack', `put back by run ${run}`);
      return await pollUntil<{ evidence: readonly Evidence[] }>({
        clock,
        what: `${node.name} to be back in its load balancers`,
        deadlineMs: policy.waits.deadlines.observedOutMs,
        pollMs: policy.waits.pollMs,
        hint: 'Check that the cloud controller manager runs; then resume.',
        look: async ({ now }) => {
          const facts = await looking.serving();
          const seen = facts.cluster.nodes.find((other) => other.uid === node.uid);
          if (seen === undefined || !seen.ready || seen.excluded) {
            const detail = seen === undefined ? 'the node is gone' : 'left as others made it';
            return { done: true, value: { evidence: [{ kind: 'put-back', at: now, detail }] } };
          }
          const groups = facts.targetGroups.filter((group) =>
            input.services.some((plan) => plan.service === group.service),
          );
          const missing = groups.filter((group) => {
            const targets = targetsOf(node, group);
            return targets.length === 0 || targets.some((target) => target.state === 'draining');
          });
          const names = (list: typeof groups) => list.map((group) => group.name).join(', ');
          if (missing.length > 0)
            return { done: false, reason: `${node.name} is not registered again in ${names(missing)}` };
          return {
            done: true,
            value: { evidence: [{ kind: 'put-back', at: now, detail: `registered in ${names(groups)}` }] },
          };
        },
      });
    },
  };

  /** What is not seen any more says nothing of who still sends to the node. */
  function unseen({ node, services, policy }: NodeStepInput, facts: ServingFacts) {
    const reason = findLostProtection({ facts, services, policy, nodes: [node] });
    return reason === undefined ? undefined : { done: false as const, reason };
  }

  /**
   * A node that is not in the cluster while its machine runs is not gone: this worker looks at another cluster, or somebody deleted
   * the Node object. Either way nothing that is observed here would speak for it.
   * @throws NodeferryError NodeNotOurs
   */
  async function requireDeadMachine({ node, pool }: NodeStepInput): Promise<void> {
    const state = await pools.observeInstance(pool, node.instanceId);
    if (state !== 'running' && state !== 'pending') return;
    throw new NodeferryError({
      code: 'NodeNotOurs',
      message: `${node.instanceId} is ${state}, but ${node.name} is no node of the cluster that this worker looks at`,
      hint: 'One task queue serves one cluster: check KUBECONFIG and NODEFERRY_TASK_QUEUE of the workers; or the Node was deleted by hand.',
    });
  }

  /** Events are for the reader of `kubectl describe node`: losing one must not stop a step. */
  async function tell(node: NodeRef, reason: string, message: string): Promise<void> {
    try {
      await cluster.recordEvent({ node, reason, message, type: 'Normal' });
    } catch {
      // The step itself will meet the same trouble, and says so.
    }
  }
}
