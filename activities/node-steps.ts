import { findLostProtection } from '../core/guard/unprotected.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { ServingFacts } from '../core/model/serving.ts';
import { isEnabled } from '../core/policy/rules.ts';
import { type ExcludedCheckpoint, readExcluded } from '../core/status/checkpoint.ts';
import type { Evidence } from '../core/status/status.ts';
import { deadlineMsOf } from '../core/steps/steps.ts';
import { maxConnectionDrainMs } from '../core/waits/formulas.ts';
import { decideConnectionsDrained, decideDeregistered } from '../core/waits/load-balancers.ts';
import type { Observer } from '../operations/observer.ts';
import type { Actions } from '../ports/cluster/actions.ts';
import type { Fencing } from '../ports/cluster/fencing.ts';
import type { Locks } from '../ports/cluster/locks.ts';
import type { Ports } from '../ports/ports.ts';
import { openFence } from './fence.ts';
import { createKeepExcluded } from './keep-excluded.ts';
import { requireInstanceGone, seeSuccessor } from './node-actions.ts';
import type { NodeStepInput, NodeStepResult } from './node-step.ts';
import { type Outcome, pollUntil } from './polling.ts';

/** Time to the first poll after a node was excluded, ms: its load balancers are notified within a second. */
const firstPollMs = 500;

/** Time for a target group to remove the node after the connection drain timer, ms. */
const drainGraceMs = 60_000;

/** Steps that wait until a node has left its load balancers. */
export function createNodeSteps(ports: Ports<Actions & Fencing & Locks>, observer: Observer) {
  const { clock, cluster, pools } = ports;
  const keepExcluded = createKeepExcluded(ports, observer);
  return {
    /** Waits until every target group is observed to have deregistered a node that was excluded at `excludedAt` (epoch ms). */
    awaitDeregistered: async (
      input: NodeStepInput & { readonly excludedAt: number },
    ): Promise<Outcome<NodeStepResult>> => {
      const { node, policy } = input;
      const fence = openFence(cluster, input);
      return await pollUntil<NodeStepResult>({
        clock,
        what: `${node.name} to leave its load balancers`,
        deadlineMs: deadlineMsOf('deregistering', policy.waits.deadlines),
        pollIntervalMs: policy.waits.pollIntervalMs,
        hint: 'Check that the cloud controller manager runs and sees the exclude label; then resume.',
        poll: fence.around<NodeStepResult>(async ({ checkpoint }) => {
          const facts = await observer.serving(input);
          const now = facts.observedAt;
          const over = seeSuccessor(node, facts.cluster, 'deregistered', now);
          if (over !== undefined) return { done: true, value: { evidence: over } };
          if (!isThere(node, facts)) await requireInstanceGone(pools, node, policy);
          const left = readExcluded(checkpoint);
          const known = left.kept ?? { labelledAt: input.excludedAt, externalChanges: [] };
          const { kept, waitReason, restoredBecause } = await keepExcluded(input, fence, facts, known);
          const { externalChanges } = kept;
          if (restoredBecause !== undefined)
            return { done: true, value: { evidence: [], externalChanges, restoredBecause } };
          const decision = decideDeregistration(input, facts, now - kept.labelledAt);
          if (waitReason !== undefined || !decision.done) {
            const first =
              left.kept === undefined ? { requeueAfterMs: Math.min(firstPollMs, policy.waits.pollIntervalMs) } : {};
            const next: ExcludedCheckpoint = { kept };
            const isSelfResolving = waitReason === undefined && decision.isSelfResolving;
            return { done: false, reason: waitReason ?? decision.reason, checkpoint: next, isSelfResolving, ...first };
          }
          const out = { kind: 'deregistered', at: now, detail: decision.reason } as const;
          return { done: true, value: { evidence: [out], externalChanges } };
        }),
      });
    },

    /** Waits until the timer has passed AND no target group lists the node. A node that is registered again is excluded again. */
    awaitConnectionsDrained: async (
      input: NodeStepInput & { readonly deregisteredAt: number },
    ): Promise<Outcome<NodeStepResult & { readonly deregisteredAt: number }>> => {
      const { node, policy } = input;
      const fence = openFence(cluster, input);
      return await pollUntil<NodeStepResult & { readonly deregisteredAt: number }>({
        clock,
        what: `connections of ${node.name} to end`,
        deadlineMs: deadlineMsOf('draining-connections', policy.waits.deadlines),
        pollIntervalMs: policy.waits.pollIntervalMs,
        hint: 'Check what keeps the node registered; then resume.',
        poll: fence.around<NodeStepResult & { readonly deregisteredAt: number }>(async ({ checkpoint }) => {
          const facts = await observer.serving(input);
          const now = facts.observedAt;
          const { deregisteredAt: since } = input;
          const over = seeSuccessor(node, facts.cluster, 'connections-drained', now);
          if (over !== undefined) return { done: true, value: { evidence: over, deregisteredAt: since } };
          const left = readExcluded(checkpoint);
          const known = left.kept ?? { labelledAt: since, externalChanges: [] };
          const { kept, anew, waitReason, restoredBecause } = await keepExcluded(input, fence, facts, known);
          const { externalChanges } = kept;
          const before = left.deregisteredAt ?? since;
          if (restoredBecause !== undefined)
            return { done: true, value: { evidence: [], externalChanges, restoredBecause, deregisteredAt: before } };
          const connectionDrainMs = maxConnectionDrainMs(facts, policy);
          const decision = decideConnectionDrain(input, facts, (anew ? now : before) + connectionDrainMs);
          const deregisteredAt = anew || decision.reregistered ? now : before;
          const notBefore = deregisteredAt + connectionDrainMs;
          if (decision.done && waitReason === undefined) {
            return { done: true, value: { evidence: decision.evidence, externalChanges, deregisteredAt } };
          }
          // A deregistration delay may be up to an hour: the deadline never ends before it has passed. What registers the node again may go on for ever.
          const isLeaving = !anew && !decision.reregistered;
          const isSelfResolving = isLeaving && now < notBefore + drainGraceMs;
          const requeueAfterMs =
            now < notBefore ? Math.min(policy.waits.pollIntervalMs, notBefore - now) : policy.waits.pollIntervalMs;
          const next: ExcludedCheckpoint = { kept, deregisteredAt };
          return {
            done: false,
            reason: waitReason ?? decision.reason,
            checkpoint: next,
            isSelfResolving,
            requeueAfterMs,
          };
        }),
      });
    },
  };
}

function isThere(node: NodeRef, facts: ServingFacts): boolean {
  return indexOf(facts.cluster).nodes.get(node.name)?.uid === node.uid;
}

/** Services and target groups that can no longer be observed don't show who still sends to the node. */
function unseen({ node, baselines, policy }: NodeStepInput, facts: ServingFacts) {
  const reason = findLostProtection({ facts, baselines, policy, nodes: [node] });
  return reason === undefined ? undefined : { done: false as const, reason };
}

function decideDeregistration(input: NodeStepInput, facts: ServingFacts, excludedForMs: number) {
  const { node, policy } = input;
  const isSelfResolving = false;
  if (!isEnabled(policy, 'wait-for-deregistration'))
    return { done: true, isSelfResolving, reason: 'not observed: the rule wait-for-deregistration is disabled' };
  const blind = unseen(input, facts);
  if (blind !== undefined) return { ...blind, isSelfResolving };
  const deadlineMs = deadlineMsOf('deregistering', policy.waits.deadlines);
  return decideDeregistered(node, facts.targetGroups, { excludedForMs, deadlineMs });
}

function decideConnectionDrain(input: NodeStepInput, facts: ServingFacts, notBefore: number) {
  const { node, policy } = input;
  const now = facts.observedAt;
  if (!isEnabled(policy, 'wait-for-deregistration'))
    return { done: now >= notBefore, reregistered: false, reason: `timer of ${node.name}`, evidence: [] };
  const blind = unseen(input, facts);
  if (blind !== undefined) return { ...blind, reregistered: false, evidence: [] };
  const decision = decideConnectionsDrained(node, facts.targetGroups, now, notBefore);
  const evidence: readonly Evidence[] = [{ kind: 'connections-drained', at: now, detail: decision.reason }];
  return { ...decision, evidence };
}
