import { decideEvictionRound } from '../core/eviction/eviction-round.ts';
import { findServingAgain } from '../core/eviction/leftover-endpoints.ts';
import { isGoneForGood, trackAllGone } from '../core/guard/gone.ts';
import type { NodeRef } from '../core/model/node.ts';
import { explainSuccessor, findSuccessor } from '../core/model/successor.ts';
import { leavingOf } from '../core/policy/members.ts';
import { isEnabled } from '../core/policy/rules.ts';
import { readGoneSince, readTerminate, type TerminateCheckpoint } from '../core/status/checkpoint.ts';
import { type Evidence } from '../core/status/status.ts';
import type { NodeStep } from '../core/steps/node-steps.ts';
import { deadlineMsOf } from '../core/steps/steps.ts';
import { listNames } from '../core/text/format.ts';
import type { NodesAside } from '../core/waits/hosts.ts';
import { findReregistered } from '../core/waits/load-balancers.ts';
import { hintRefused } from '../core/waits/refused.ts';
import { decideReplacementsServing, type EndpointSnapshot } from '../core/waits/replacements.ts';
import type { Observer } from '../operations/observer.ts';
import type { Events } from '../ports/cluster/events.ts';
import type { Fencing } from '../ports/cluster/fencing.ts';
import type { NodeActions } from '../ports/cluster/node-actions.ts';
import type { Ports } from '../ports/ports.ts';
import { openFence } from './fence.ts';
import { publishNodeEvent, seeSuccessor } from './node-actions.ts';
import type { NodeStepInput, NodeStepResult } from './node-step.ts';
import { type Outcome, type Poll, pollUntil } from './polling.ts';
import type { Wake } from './waking.ts';

/** An emptied node that has changed since: which step has to be repeated, and why. */
interface Reregistered {
  readonly step: NodeStep;
  readonly reason: string;
}

/** The result of a step that acts on an emptied node. */
export interface EndingResult extends NodeStepResult {
  readonly reregistered?: Reregistered;
}

/** Steps that terminate a node whose pods have left. */
export function createEndingSteps(ports: Ports<NodeActions & Fencing & Events>, observer: Observer, wake: Wake) {
  const { clock, cluster, pools } = ports;
  return {
    /**
     * Waits until every Service that had endpoints on the node has as many as before, on healthy nodes. ReplicaSets whose pods the API
     * server has refused are made to retry: they would not notice that there is room now.
     */
    awaitReplacements: async (
      input: NodeStepInput & { readonly before: EndpointSnapshot; readonly aside?: NodesAside },
    ): Promise<Outcome<NodeStepResult>> => {
      const { node, policy, before, aside = {} } = input;
      if (!isEnabled(policy, 'wait-for-replacements')) return { outcome: 'done', at: clock.now(), evidence: [] };
      const fence = openFence(cluster, input);
      return await pollUntil<NodeStepResult>({
        clock,
        what: `replacements of the pods of ${node.name} to serve`,
        deadlineMs: deadlineMsOf('awaiting-replacements', policy.waits.deadlines),
        pollIntervalMs: policy.waits.pollIntervalMs,
        hint: 'Check the pods that are not Ready or cannot be scheduled; then resume.',
        poll: fence.around<NodeStepResult>(async ({ now, since, checkpoint }) => {
          const facts = await observer.serving(input);
          const over = seeSuccessor(node, facts.cluster, 'replacements-serving', now);
          if (over !== undefined) return { done: true, value: { evidence: over } };
          const goneSince = trackAllGone(readGoneSince(checkpoint), Object.keys(before), facts, policy);
          const gone = Object.keys(goneSince).filter((key) => isGoneForGood(goneSince[key], facts, policy));
          const patient = now - since < policy.waits.stabilizationAfterOutageMs;
          const leaving = leavingOf(facts.cluster, policy, input.direction);
          const decision = decideReplacementsServing({ facts, policy, before, gone, leaving, aside, patient });
          if (!decision.done) {
            await wake(decision.refused, { run: input.run, fence });
            const hint = hintRefused(decision.refused);
            return {
              done: false,
              reason: decision.reason,
              ...(hint === undefined ? {} : { hint }),
              checkpoint: { goneSince },
            };
          }
          const unprotected = Object.entries(decision.aside).flatMap(([name, what]) => (name in aside ? [] : [what]));
          const evidence: readonly Evidence[] = [{ kind: 'replacements-serving', at: now, detail: decision.reason }];
          return { done: true, value: { evidence, unprotected } };
        }),
      });
    },

    /** Waits until connections that are forwarded through the node have reached their maximum age. */
    awaitForwardedConnections: async (
      input: NodeStepInput & { readonly notBefore: number },
    ): Promise<Outcome<NodeStepResult>> =>
      await pollUntil<NodeStepResult>({
        clock,
        what: `connections through ${input.node.name} to end`,
        deadlineMs: deadlineMsOf('awaiting-forwarded-connections', input.policy.waits.deadlines),
        pollIntervalMs: input.policy.waits.pollIntervalMs,
        hint: 'Resume.',
        poll: async ({ now }) => {
          const left = Math.ceil((input.notBefore - now) / 1000);
          if (left > 0) {
            return {
              done: false,
              reason: `connections through the node may live for ${left} s`,
              requeueAfterMs: input.notBefore - now,
            };
          }
          const detail = 'older than the longest connection age';
          return { done: true, value: { evidence: [{ kind: 'forwarded-ended', at: now, detail }] } };
        },
      }),

    /**
     * The end of a drained node that is kept: one more observation in which it is deregistered, no movable pod is on it, and no pod that stays serves
     * anybody. It changes nothing.
     */
    confirmEmpty: async (input: NodeStepInput): Promise<Outcome<EndingResult>> => {
      const { node, policy, run } = input;
      const fence = openFence(cluster, input);
      return await pollUntil<EndingResult>({
        clock,
        what: `${node.name} to be seen empty`,
        deadlineMs: undefined,
        pollIntervalMs: policy.waits.pollIntervalMs,
        hint: 'Resume to retry.',
        poll: fence.around<EndingResult>(async ({ now }) => {
          const reregistered = await findReasonToGoBack(input);
          if (reregistered !== undefined) return { done: true, value: { evidence: [], reregistered } };
          const over = seeSuccessor(node, await observer.cluster(), 'drained', now);
          if (over !== undefined) return { done: true, value: { evidence: over } };
          const detail = 'cordoned, excluded from its load balancers, and empty';
          await publishNodeEvent(cluster, node, 'Drained', `drained by run ${run}: ${detail}`);
          return { done: true, value: { evidence: [{ kind: 'drained', at: now, detail }] } };
        }),
      });
    },

    /**
     * Terminates exactly that instance, waits until it is terminated, deletes its Node object and waits until that is gone. Terminates only
     * after an observation in which the node is deregistered, no movable pod is on it, and no pod that stays serves anybody. Where another node has its
     * name and its instance, it terminates nothing.
     */
    terminateNode: async (input: NodeStepInput & { readonly isAborted: boolean }): Promise<Outcome<EndingResult>> => {
      const { node, pool, policy } = input;
      const fence = openFence(cluster, input);
      return await pollUntil<EndingResult>({
        clock,
        what: `${node.name} (${node.instanceId}) to be gone`,
        deadlineMs: deadlineMsOf('terminating', policy.waits.deadlines),
        pollIntervalMs: policy.waits.pollIntervalMs,
        hint: 'Check the instance and its lifecycle hooks; then resume.',
        poll: fence.around(async ({ checkpoint }) => {
          const known = readTerminate(checkpoint);
          if (!known.asked) {
            const successor = findSuccessor(node, await observer.cluster());
            if (successor?.instanceId === node.instanceId)
              return { done: true, value: leaveToSuccessor(node, clock.now()) };
            const back = await findWayBack(input);
            if (back !== undefined) return { done: true, value: { evidence: [], ...back } };
            await publishNodeEvent(cluster, node, 'Terminating', `terminating ${node.instanceId} of ${pool.name}`);
            // A node that is gone has no fence any more, and the ID names the instance: Auto Scaling may have to be told that it has ended.
            if (successor === undefined) await fence.check();
            await pools.terminateInstance(pool, node.instanceId);
            return { done: false, reason: `${node.instanceId} was asked to terminate`, checkpoint: { asked: true } };
          }
          return await awaitGone(input, known);
        }),
      });
    },
  };

  async function findReasonToGoBack(input: NodeStepInput): Promise<Reregistered | undefined> {
    const { node, policy, run } = input;
    const facts = await observer.serving(input);
    if (findSuccessor(node, facts.cluster) !== undefined) return undefined;
    const reason = findReregistered(node, facts, policy);
    if (reason !== undefined) return { step: 'draining-connections', reason };
    const now = facts.observedAt;
    const { remaining } = decideEvictionRound({
      node,
      facts: facts.cluster,
      policy,
      run,
      now,
      removedAt: {},
      unreadySince: {},
      drainedAt: {},
    });
    if (remaining > 0) return { step: 'evicting', reason: `${remaining} pods have come to ${node.name} again` };
    const serving = findServingAgain(node, facts.cluster, policy);
    return serving.length === 0
      ? undefined
      : { step: 'evicting', reason: `${listNames(serving)} on ${node.name} serves again` };
  }

  /** What runs under the name now is a node of the pool like any other, which has yet to be excluded and emptied. */
  function leaveToSuccessor(node: NodeRef, at: number): EndingResult {
    const detail = explainSuccessor(node);
    const what = `${detail}, and its instance ${node.instanceId}: that one is not terminated with it`;
    return { evidence: [{ kind: 'node-deleted', at, detail }], externalChanges: [{ at, what }] };
  }

  /**
   * Why an instance is not terminated yet, or not at all. Undefined for one whose end was requested, by an earlier attempt or by others: nothing brings it
   * back, and so its node must not be registered again. An aborted run requests no further end: the node no longer has to leave.
   */
  async function findWayBack(
    input: NodeStepInput & { readonly isAborted: boolean },
  ): Promise<Pick<EndingResult, 'reregistered' | 'restoredBecause'> | undefined> {
    const { node, pool, isAborted } = input;
    const state = await pools.observeInstance(pool, node.instanceId);
    if (state !== 'running' && state !== 'stopped') return undefined;
    const reregistered = await findReasonToGoBack(input);
    if (reregistered !== undefined) return { reregistered };
    if (!isAborted) return undefined;
    const still = state === 'running' ? 'still runs' : 'is only stopped';
    return { restoredBecause: `the run is aborted, and ${node.instanceId} ${still}` };
  }

  async function awaitGone({ node, pool }: NodeStepInput, known: TerminateCheckpoint): Promise<Poll<EndingResult>> {
    const state = await pools.observeInstance(pool, node.instanceId);
    if (state !== 'terminated') return { done: false, reason: `${node.instanceId} is ${state}` };
    const { terminatedAt = clock.now() } = known;
    await cluster.deleteNode(node);
    if ((await observer.cluster()).nodes.some((other) => other.uid === node.uid)) {
      const checkpoint: TerminateCheckpoint = { asked: true, terminatedAt };
      return { done: false, reason: `Node ${node.name} is being deleted`, checkpoint, requeueAfterMs: 500 };
    }
    const evidence: readonly Evidence[] = [
      { kind: 'terminated', at: terminatedAt, detail: node.instanceId },
      { kind: 'node-deleted', at: clock.now(), detail: `Node ${node.name} is gone` },
    ];
    return { done: true, value: { evidence } };
  }
}
