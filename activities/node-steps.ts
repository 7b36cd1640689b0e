import { leaveByThemselves } from '../core/drain/leaving.ts';
import { decidePutBack } from '../core/drain/put-back.ts';
import { hasSpread, trackLagging, trackUnlisted } from '../core/drain/unlist.ts';
import type { ServiceBaseline } from '../core/guard/baseline.ts';
import { findLostProtection } from '../core/guard/unprotected.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { PoolRef } from '../core/model/pool.ts';
import type { ServingFacts } from '../core/model/serving.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { Evidence, ForeignAct } from '../core/status/status.ts';
import { listNames } from '../core/text/format.ts';
import { isEnabled, longestDrainMs } from '../core/waits/formulas.ts';
import { decideDrained, decideObservedOut, targetsOf } from '../core/waits/load-balancers.ts';
import type { Ports } from '../ports/ports.ts';
import { requireDeadMachine, tellNode } from './acts-on-nodes.ts';
import { openFence, type Turn } from './fence.ts';
import { createKeepOut, type KeptOut } from './keep-out.ts';
import type { Looking } from './looking.ts';
import { readSince } from './pod-acts.ts';
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

/** Steps that see a node out of its load balancers, or put it back. */
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
          const facts = await looking.serving();
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
          const facts = await looking.serving();
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

    /** Puts a node back that was not terminated: its pods into their Services, the node into its load balancers. */
    putBackNode: async (input: NodeStepInput): Promise<Outcome<NodeStepResult>> => {
      const { node, policy, run } = input;
      const put = await putPodsBack(input);
      if (put.outcome !== 'done') return put;
      await tellNode(cluster, node, 'PutBack', `put back by run ${run}`);
      return await pollUntil<NodeStepResult>({
        clock,
        what: `${node.name} to be back in its load balancers`,
        deadlineMs: policy.waits.deadlines.observedOutMs,
        pollMs: policy.waits.pollMs,
        hint: 'Check that the cloud controller manager runs; then resume.',
        look: async ({ now }) => {
          const facts = await looking.serving();
          const seen = indexOf(facts.cluster).nodes.get(node.name);
          if (seen?.uid !== node.uid || !seen.ready || seen.excluded) {
            const detail = seen?.uid === node.uid ? 'left as others made it' : 'the node is gone';
            return { done: true, value: { evidence: [{ kind: 'put-back', at: now, detail }] } };
          }
          const missing = facts.targetGroups.filter((group) => {
            const targets = targetsOf(node, group);
            return targets.length === 0 || targets.some((target) => target.state === 'draining');
          });
          if (missing.length > 0)
            return { done: false, reason: `${node.name} is not registered again in ${namesOf(missing)}` };
          const detail = `registered in ${namesOf(facts.targetGroups)}`;
          return { done: true, value: { evidence: [{ kind: 'put-back', at: now, detail }] } };
        },
      });
    },
  };

  /** Pods into their Services, then the marks off the node. Not fenced by the pool's lock: taking away one's own marks hurts nobody. */
  async function putPodsBack(input: NodeStepInput): Promise<Outcome> {
    const { node, run, policy } = input;
    return await pollUntil<object>({
      clock,
      what: `pods of ${node.name} to be put back`,
      deadlineMs: policy.waits.deadlines.evictionMs,
      pollMs: Math.min(1_000, policy.waits.pollMs),
      hint: 'Resume to try again.',
      look: async ({ now, memo }) => {
        // An attempt of an earlier step that still lives on finds that the node is not its own any more.
        await cluster.claimNode(node, { run, ...input.turn, attempt: lastAttempt });
        const facts = await looking.cluster();
        const unlisted = indexOf(facts)
          .podsOn(node.name)
          .filter((pod) => pod.unlisted?.by === run);
        const unlistedAt = trackUnlisted(readSince(memo['unlistedAt']), unlisted, facts, now);
        const laggingSince = trackLagging(readSince(memo['laggingSince']), unlisted, facts, now);
        for (const action of decidePutBack(node, unlisted, run)) {
          if (action.kind === 'relist') await cluster.relist(action.pod, run);
          // Until every kube-proxy knows that it is out of its endpoints, the pod still gets connections.
          else if (hasSpread(action.pod, facts, unlistedAt, policy.waits, now))
            await cluster.evict(action.pod, { dryRun: false });
        }
        if (unlisted.length > 0) {
          const comes = leaveByThemselves({ pods: unlisted, unlistedAt, laggingSince }, policy.waits, now);
          const reason = `${unlisted.length} unlisted pods on ${node.name}`;
          return { done: false, reason, comes, memo: { unlistedAt, laggingSince } };
        }
        await cluster.untaintRetiring(node, run);
        await cluster.include(node, run);
        await cluster.unclaimNode(node, run);
        return { done: true, value: {} };
      },
    });
  }
}

/** Putting back has no fence of its own: any of its attempts may do it, and all of them come after what they undo. */
const lastAttempt = Number.MAX_SAFE_INTEGER;

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

function namesOf(groups: readonly { readonly name: string }[]): string {
  return listNames(groups.map((group) => group.name));
}
