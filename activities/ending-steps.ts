import { decideEvictionRound } from '../core/drain/eviction-round.ts';
import { findServingAgain } from '../core/drain/retirement.ts';
import { isGoneForGood, trackAllGone } from '../core/guard/gone.ts';
import { type Evidence } from '../core/status/status.ts';
import { listNames } from '../core/text/format.ts';
import { isEnabled } from '../core/waits/formulas.ts';
import type { NodesAside } from '../core/waits/hosts.ts';
import { findBackIn } from '../core/waits/load-balancers.ts';
import { hintRefused } from '../core/waits/refused.ts';
import { decideReplacementsServing, type EndpointSnapshot } from '../core/waits/replacements.ts';
import type { Ports } from '../ports/ports.ts';
import { tellNode } from './acts-on-nodes.ts';
import { openFence } from './fence.ts';
import type { Looking } from './looking.ts';
import type { NodeStepInput, NodeStepResult } from './node-steps.ts';
import { timesIn } from './pod-acts.ts';
import { type Look, type Outcome, pollUntil } from './polling.ts';
import type { Wake } from './waking.ts';

/** A node that was emptied is not as it was left: what has to be done again, and why. */
export interface BackIn {
  readonly step: 'draining-connections' | 'evicting';
  readonly reason: string;
}

/** What a step that acts on an emptied node came to. */
export interface EndingResult extends NodeStepResult {
  readonly backIn?: BackIn;
}

/** Steps that end a node whose pods have left. */
export function createEndingSteps(ports: Ports, looking: Looking, wake: Wake) {
  const { clock, cluster, pools } = ports;
  return {
    /**
     * Waits until every Service that had endpoints on the node has as many as before, and their nodes are healthy. ReplicaSets that the API server has
     * refused a pod are made to try again: they would not notice that there is room now.
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
        deadlineMs: policy.waits.deadlines.replacementsServingMs,
        pollMs: policy.waits.pollMs,
        hint: 'Look at the pods that are not Ready or can’t be placed; then resume.',
        look: fence.around<NodeStepResult>(async ({ now, since, memo }) => {
          const facts = await looking.serving(input);
          const goneSince = trackAllGone(timesIn(memo['goneSince']), Object.keys(before), facts, policy);
          const gone = Object.keys(goneSince).filter((key) => isGoneForGood(goneSince[key], facts, policy));
          const patient = now - since < policy.waits.settleAfterOutageMs;
          const leaving = input.pool.name;
          const decision = decideReplacementsServing({ facts, policy, before, gone, leaving, aside, patient });
          if (!decision.done) {
            await wake(decision.refused, { run: input.run, fence });
            const hint = hintRefused(decision.refused);
            return {
              done: false,
              reason: decision.reason,
              ...(hint === undefined ? {} : { hint }),
              memo: { goneSince },
            };
          }
          const notProtected = Object.entries(decision.aside).flatMap(([name, what]) => (name in aside ? [] : [what]));
          const evidence: readonly Evidence[] = [{ kind: 'serving-elsewhere', at: now, detail: decision.reason }];
          return { done: true, value: { evidence, notProtected } };
        }),
      });
    },

    /** Waits until connections that merely pass through the node have reached their greatest age. */
    awaitTransit: async (input: NodeStepInput & { readonly notBefore: number }): Promise<Outcome<NodeStepResult>> =>
      await pollUntil<NodeStepResult>({
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

    /**
     * Terminates that very machine, waits until it is, then deletes its Node object and sees it gone. Asks only from a look in which the
     * node is out of its load balancers, no pod that can move is on it, and none that stays serves anybody.
     */
    terminateNode: async (input: NodeStepInput & { readonly isAborted: boolean }): Promise<Outcome<EndingResult>> => {
      const { node, pool, policy } = input;
      const fence = openFence(cluster, input);
      return await pollUntil<EndingResult>({
        clock,
        what: `${node.name} (${node.instanceId}) to be gone`,
        deadlineMs: policy.waits.deadlines.nodeGoneMs,
        pollMs: policy.waits.pollMs,
        hint: 'Look at the instance and its lifecycle hooks; then resume.',
        look: fence.around(async ({ memo }) => {
          if (memo['asked'] !== true) {
            const backIn = await findReasonToGoBack(input);
            if (backIn !== undefined) return { done: true, value: { evidence: [], backIn } };
            const putBackBecause = input.isAborted ? await whyNotEnded(input) : undefined;
            if (putBackBecause !== undefined) return { done: true, value: { evidence: [], putBackBecause } };
            await tellNode(cluster, node, 'Terminating', `terminating ${node.instanceId} of ${pool.name}`);
            await fence.check();
            await pools.terminateInstance(pool, node.instanceId);
            return { done: false, reason: `${node.instanceId} was asked to terminate`, memo: { asked: true } };
          }
          return await seeGone(input, memo['terminatedAt']);
        }),
      });
    },
  };

  async function findReasonToGoBack(input: NodeStepInput): Promise<BackIn | undefined> {
    const { node, policy, run } = input;
    const facts = await looking.serving(input);
    const reason = findBackIn(node, facts, policy);
    if (reason !== undefined) return { step: 'draining-connections', reason };
    const now = facts.observedAt;
    const { remaining } = decideEvictionRound({
      node,
      facts: facts.cluster,
      policy,
      run,
      now,
      unlistedAt: {},
      unreadySince: {},
    });
    if (remaining > 0) return { step: 'evicting', reason: `${remaining} pods have come to ${node.name} again` };
    const serving = findServingAgain(node, facts.cluster, policy);
    return serving.length === 0
      ? undefined
      : { step: 'evicting', reason: `${listNames(serving)} on ${node.name} serves again` };
  }

  /** An aborted run ends no machine that it has not asked to end: whoever could not be ended before need not be any more. */
  async function whyNotEnded({ node, pool }: NodeStepInput): Promise<string | undefined> {
    const state = await pools.observeInstance(pool, node.instanceId);
    return state === 'running' ? `the run is aborted, and ${node.instanceId} still runs` : undefined;
  }

  async function seeGone({ node, pool }: NodeStepInput, known: unknown): Promise<Look<EndingResult>> {
    const state = await pools.observeInstance(pool, node.instanceId);
    if (state !== 'terminated') return { done: false, reason: `${node.instanceId} is ${state}` };
    const terminatedAt = typeof known === 'number' ? known : clock.now();
    await cluster.deleteNode(node);
    if ((await looking.cluster()).nodes.some((other) => other.uid === node.uid)) {
      const memo = { asked: true, terminatedAt };
      return { done: false, reason: `Node ${node.name} is being deleted`, memo, againInMs: 500 };
    }
    const evidence: readonly Evidence[] = [
      { kind: 'terminated', at: terminatedAt, detail: node.instanceId },
      { kind: 'node-gone', at: clock.now(), detail: `Node ${node.name} is gone` },
    ];
    return { done: true, value: { evidence } };
  }
}
