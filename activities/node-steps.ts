import type { ServiceBaseline } from '../core/guard/baseline.ts';
import { findLostProtection } from '../core/guard/unprotected.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { PoolRef } from '../core/model/pool.ts';
import type { ServingFacts } from '../core/model/serving.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { Evidence, ForeignAct } from '../core/status/status.ts';
import { isEnabled, longestDrainMs } from '../core/waits/formulas.ts';
import { decideDrained, decideObservedOut } from '../core/waits/load-balancers.ts';
import type { Ports } from '../ports/ports.ts';
import { requireDeadMachine } from './acts-on-nodes.ts';
import { openFence, type Turn } from './fence.ts';
import { createKeepOut, type KeptOut } from './keep-out.ts';
import type { Looking } from './looking.ts';
import { type Outcome, pollUntil } from './polling.ts';

/** A node that was let go just now is looked at again after this time, ms: its load balancers hear of it within a second. */
const soonMs = 500;

/** Time for a target group to let go after the drain's own timer, ms. */
const drainGraceMs = 60_000;

/** The node that a step is about, and what it needs to know of the run. */
export interface NodeStepInput {
  readonly run: string;
  readonly node: NodeRef;
  readonly pool: PoolRef;
  readonly policy: Policy;
  readonly baselines: readonly ServiceBaseline[];
  readonly turn: Turn;
}

/** What a step of a node came to. */
export interface NodeStepResult {
  readonly evidence: readonly Evidence[];
  readonly foreignActs?: readonly ForeignAct[];
  /** What could not be protected on this node, in words. */
  readonly notProtected?: readonly string[];
  /** Why the node was taken back in instead. */
  readonly putBackBecause?: string;
}

/** Steps that see a node out of its load balancers. */
export function createNodeSteps(ports: Ports, looking: Looking) {
  const { clock, cluster, pools } = ports;
  const keepOut = createKeepOut(ports, looking);
  return {
    /** Waits until every target group is observed to have let go of a node that was excluded at `excludedAt` (epoch ms). */
    awaitObservedOut: async (
      input: NodeStepInput & { readonly excludedAt: number },
    ): Promise<Outcome<NodeStepResult>> => {
      const { node, policy } = input;
      const fence = openFence(cluster, input);
      return await pollUntil<NodeStepResult>({
        clock,
        what: `${node.name} to leave its load balancers`,
        deadlineMs: policy.waits.deadlines.observedOutMs,
        pollMs: policy.waits.pollMs,
        hint: 'Check that the cloud controller manager runs and sees the exclude label; then resume.',
        look: fence.around<NodeStepResult>(async ({ memo }) => {
          const facts = await looking.serving(input);
          const now = facts.observedAt;
          if (!isThere(node, facts)) await requireDeadMachine(pools, node, policy);
          const known = (memo['kept'] as KeptOut | undefined) ?? { labelledAt: input.excludedAt, foreignActs: [] };
          const { kept, held, putBackBecause } = await keepOut(input, fence, facts, known);
          const { foreignActs } = kept;
          if (putBackBecause !== undefined) return { done: true, value: { evidence: [], foreignActs, putBackBecause } };
          const decision = decideOut(input, facts);
          if (held !== undefined || !decision.done) {
            const first = memo['kept'] === undefined ? { againInMs: Math.min(soonMs, policy.waits.pollMs) } : {};
            return { done: false, reason: held ?? decision.reason, memo: { kept }, ...first };
          }
          const out = { kind: 'observed-out', at: now, detail: decision.reason } as const;
          return { done: true, value: { evidence: [out], foreignActs } };
        }),
      });
    },

    /** Waits until the timer is over AND no target group lists the node. A node that comes back is excluded again. */
    awaitDrained: async (
      input: NodeStepInput & { readonly observedOutAt: number },
    ): Promise<Outcome<NodeStepResult & { readonly outSince: number }>> => {
      const { node, policy } = input;
      const fence = openFence(cluster, input);
      return await pollUntil<NodeStepResult & { readonly outSince: number }>({
        clock,
        what: `connections of ${node.name} to end`,
        deadlineMs: policy.waits.deadlines.connectionsDrainedMs,
        pollMs: policy.waits.pollMs,
        hint: 'Check what keeps the node registered; then resume.',
        look: fence.around<NodeStepResult & { readonly outSince: number }>(async ({ memo }) => {
          const facts = await looking.serving(input);
          const now = facts.observedAt;
          const known = (memo['kept'] as KeptOut | undefined) ?? { labelledAt: input.observedOutAt, foreignActs: [] };
          const { kept, anew, held, putBackBecause } = await keepOut(input, fence, facts, known);
          const { foreignActs } = kept;
          const before = typeof memo['outSince'] === 'number' ? memo['outSince'] : input.observedOutAt;
          if (putBackBecause !== undefined)
            return { done: true, value: { evidence: [], foreignActs, putBackBecause, outSince: before } };
          const drainMs = longestDrainMs(facts, policy);
          const decision = decideDrain(input, facts, (anew ? now : before) + drainMs);
          const outSince = anew || decision.backIn ? now : before;
          const notBefore = outSince + drainMs;
          if (decision.done && held === undefined) {
            return { done: true, value: { evidence: decision.evidence, foreignActs, outSince } };
          }
          // A deregistration delay may be up to an hour: the deadline never ends before what it waits for.
          const comes = now < notBefore + drainGraceMs;
          const againInMs = now < notBefore ? Math.min(policy.waits.pollMs, notBefore - now) : policy.waits.pollMs;
          return { done: false, reason: held ?? decision.reason, memo: { kept, outSince }, comes, againInMs };
        }),
      });
    },
  };
}

function isThere(node: NodeRef, facts: ServingFacts): boolean {
  return indexOf(facts.cluster).nodes.get(node.name)?.uid === node.uid;
}

/** What is not seen any more says nothing of who still sends to the node. */
function unseen({ node, baselines, policy }: NodeStepInput, facts: ServingFacts) {
  const reason = findLostProtection({ facts, baselines, policy, nodes: [node] });
  return reason === undefined ? undefined : { done: false as const, reason };
}

function decideOut(input: NodeStepInput, facts: ServingFacts) {
  if (!isEnabled(input.policy, 'wait-for-deregistration'))
    return { done: true, reason: 'not looked at: the rule wait-for-deregistration is switched off' };
  return unseen(input, facts) ?? decideObservedOut(input.node, facts.targetGroups);
}

function decideDrain(input: NodeStepInput, facts: ServingFacts, notBefore: number) {
  const { node, policy } = input;
  const now = facts.observedAt;
  if (!isEnabled(policy, 'wait-for-deregistration'))
    return { done: now >= notBefore, backIn: false, reason: `timer of ${node.name}`, evidence: [] };
  const blind = unseen(input, facts);
  if (blind !== undefined) return { ...blind, backIn: false, evidence: [] };
  const decision = decideDrained(node, facts.targetGroups, now, notBefore);
  const evidence: readonly Evidence[] = [{ kind: 'drained', at: now, detail: decision.reason }];
  return { ...decision, evidence };
}
