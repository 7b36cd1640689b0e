import { setImmediate as nextTurn } from 'node:timers/promises';
import { explainGathered } from '../core/eviction/tolerates-cordon.ts';
import { learnBaselines } from '../core/guard/baseline.ts';
import { explainNever, explainRemedy, type GuardBlock } from '../core/guard/block.ts';
import { layOutInSlices } from '../core/guard/lay-out.ts';
import { type GuardDecision, selectCandidate, stabilizationMsOf } from '../core/guard/select-candidate.ts';
import { isStable } from '../core/guard/stable-since.ts';
import { findLostProtection } from '../core/guard/unprotected.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { ExternalChange } from '../core/model/external-change.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { ServingFacts } from '../core/model/serving.ts';
import { explainOldVersions } from '../core/pod-surge/old-version.ts';
import { type ExcludeCheckpoint, readExclude } from '../core/status/checkpoint.ts';
import { addExternalChanges } from '../core/status/external-changes.ts';
import { findRefusedBehind, hintRefused, noteRefused } from '../core/waits/refused.ts';
import type { Observer } from '../operations/observer.ts';
import type { WindowGate } from '../operations/window-gate.ts';
import type { Actions } from '../ports/cluster/actions.ts';
import type { Events } from '../ports/cluster/events.ts';
import type { Fencing } from '../ports/cluster/fencing.ts';
import type { Locks } from '../ports/cluster/locks.ts';
import type { Ports } from '../ports/ports.ts';
import { type Agreements, maxBatch } from './agreements.ts';
import { removeDiscardedFence } from './discarded-rounds.ts';
import { createDismissals } from './dismissals.ts';
import {
  createExclusion,
  describeBatch,
  describeExclusion,
  type ExcludeInput,
  type ExclusionBatch,
  findNode,
} from './exclusion.ts';
import { type Fence, openPoolFence } from './fence.ts';
import { inSlices } from './in-slices.ts';
import { countGuardRefusal } from './metrics.ts';
import { ensureCordoned, findExcludedNewNodes } from './node-actions.ts';
import { type Outcome, type Poll, pollUntil } from './polling.ts';
import type { Wake } from './waking.ts';

/** Excluded nodes, and external changes that were noticed. */
export interface ExcludeResult extends ExclusionBatch {
  readonly externalChanges: readonly ExternalChange[];
}

/** No node was excluded: no upgrade window is open for long enough. */
interface WindowClosed {
  readonly windowClosed: true;
}

/** The step that excludes nodes. */
export function createExcludeSteps(
  ports: Ports<Actions & Fencing & Locks & Events>,
  {
    observer,
    wake,
    gate,
    agreements,
  }: {
    readonly observer: Observer;
    readonly wake: Wake;
    readonly gate: WindowGate;
    readonly agreements: Agreements;
  },
) {
  const { clock, cluster } = ports;
  const { excludeBatch } = createExclusion(ports, observer, ask);
  const { dismiss } = createDismissals(ports, observer);

  return {
    /**
     * Polls until the guard allows a waiting node to be excluded, then excludes it from load balancers in the same poll: under a lock that
     * all runs of the cluster share, from an observation that was made under it. Candidates may be selected from an older observation; the
     * decision may not. Nodes that an earlier attempt has excluded are returned first. The deadline runs only while no node of this run is in
     * progress, and while it can be observed that none can be excluded.
     */
    excludeNext: async (input: ExcludeInput): Promise<Outcome<ExcludeResult | WindowClosed>> => {
      /** When the last poll began, if it only waited for observations to be stable: what it read is new enough to select from. */
      let stabilizingSince: number | undefined;
      const fence = openPoolFence(cluster, input);
      return await pollUntil<ExcludeResult | WindowClosed>({
        clock,
        what: 'capacity to exclude another node',
        deadlineMs: input.policy.waits.deadlines.guardMs,
        pollIntervalMs: input.policy.waits.pollIntervalMs,
        hint: 'Scale up, or fix what does not serve; then resume.',
        poll: fence.around<ExcludeResult | WindowClosed>(async ({ now, checkpoint }) => {
          const left = readExclude(checkpoint);
          const known = left.baselines ?? input.baselines;
          const scope = { policy: input.policy, baselines: known };
          // Read first: a pool that is recorded later has no nodes yet.
          const incomingPools = await cluster.findIncomingPools();
          const facts = { ...(await observer.serving(scope, { since: stabilizingSince ?? now })), incomingPools };
          await inSlices(layOutInSlices(facts));
          // A released pod that is no longer needed would block its node for ever: nothing else removes it.
          const { run } = input;
          const dismissed = await dismiss(facts.cluster, { ...input, now, fence, known: left.dismissed });
          const baselines = learnBaselines(known, facts, input.policy);
          const externalChanges = addExternalChanges(left.externalChanges, [
            ...(await ensureCordoned(cluster.guarded(fence.check), input.waiting, input.run, facts)),
            ...findExcludedNewNodes(facts, input.policy),
          ]);
          const seen = { externalChanges, ...(baselines === input.baselines ? {} : { baselines }) };

          const untracked = input.waiting.filter((node) => isExcludedBy(node, facts, input.run));
          if (untracked.length > 0) {
            for (const node of untracked) await removeDiscardedFence(cluster, findNode(node, facts), input, fence);
            const before = untracked.map((node) => describeExclusion(node, undefined, facts, input));
            return { done: true, value: { ...describeBatch(before, undefined), ...seen } };
          }
          if (input.window !== undefined && !(await gate.check(input.window, now)).window.mayStart)
            return { done: true, value: { windowClosed: true } };
          const inFlight = input.inFlight.filter(
            (node) => indexOf(facts.cluster).nodes.get(node.name)?.uid === node.uid,
          );
          const question = { ...input, baselines, inFlight };
          await nextTurn();
          await agreements.observe(input.run, now, { ...question, facts });
          await nextTurn();
          const answer = ask(question, facts);
          countGuardRefusal(answer);
          const isNearlyStable = (answer.stableInMs ?? Number.POSITIVE_INFINITY) <= input.policy.waits.pollIntervalMs;
          stabilizingSince = isNearlyStable && stabilizingSince === undefined ? now : undefined;
          const stepped =
            answer.node === undefined ? undefined : await excludeTogether(answer.node, question, facts, fence);
          if (stepped?.done === true) {
            for (const { node } of [stepped.value, ...(stepped.value.others ?? [])]) agreements.refuse(run, node);
            return { done: true, value: { ...seen, ...stepped.value } };
          }
          const { blockedBy } = answer;
          const refused = blockedBy === undefined ? [] : findRefusedBehind(blockedBy, facts.cluster);
          await wake(refused, { run, fence });
          const guardReason = `${stepped?.reason ?? answer.reason}${noteRefused(refused)}`;
          const reason = [guardReason, dismissed.reason ?? [], explainOldVersions(facts.cluster, run) ?? []]
            .flat()
            .join('; ');
          const requeueAfterMs =
            stepped?.requeueAfterMs ?? Math.min(answer.stableInMs ?? Infinity, input.policy.waits.pollIntervalMs);
          const hint =
            blockedBy &&
            (hintRefused(refused) ?? explainGathered(blockedBy.node, facts.cluster) ?? hintRemedy(blockedBy));
          const next: ExcludeCheckpoint = { dismissed: dismissed.known, ...seen };
          const told = { reason, ...(hint === undefined ? {} : { hint }) };
          return {
            done: false,
            ...told,
            remedy: blockedBy && explainNever(blockedBy),
            checkpoint: next,
            suspendsDeadline: inFlight.length > 0,
            requeueAfterMs,
          };
        }),
      });
    },
  };

  function ask(input: ExcludeInput, facts: ServingFacts): GuardDecision {
    const lost = findLost(input, facts);
    if (lost !== undefined) return { node: undefined, reason: lost, stableSince: {} };
    return selectCandidate({ ...input, facts, stableSince: agreements.of(input.run) });
  }

  /** Excludes the next candidate, and with it every node that observations have agreed on excluding together with it. */
  async function excludeTogether(
    next: NodeRef,
    input: ExcludeInput,
    facts: ServingFacts,
    fence: Fence,
  ): Promise<Poll<ExclusionBatch>> {
    const stableSince = agreements.of(input.run);
    const others = input.waiting.filter(
      (node) =>
        node.name !== next.name && isStable(stableSince, node.name, facts.observedAt, stabilizationMsOf(node, input)),
    );
    const room = Math.min(maxBatch, input.policy.guard.maxInFlight - input.inFlight.length) - 1;
    const onRefused = (node: NodeRef) => agreements.refuse(input.run, node);
    return await excludeBatch([next, ...others.slice(0, Math.max(0, room))], input, facts, { fence, onRefused });
  }
}

function hintRemedy(block: GuardBlock): string | undefined {
  const remedy = explainRemedy(block);
  return remedy === undefined ? undefined : `${remedy} Then resume.`;
}

function findLost(input: ExcludeInput, facts: ServingFacts): string | undefined {
  return findLostProtection({ ...input, facts, nodes: input.waiting });
}

function isExcludedBy(node: NodeRef, facts: ServingFacts, run: string): boolean {
  const seen = findNode(node, facts);
  return seen?.excluded === true && seen.ownership.excludedBy === run;
}
