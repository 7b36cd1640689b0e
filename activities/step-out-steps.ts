import { setImmediate as nextTurn } from 'node:timers/promises';
import { tellGathered } from '../core/drain/tolerates-cordon.ts';
import { type Agreed, agree, disagree, isSettled } from '../core/guard/agreement.ts';
import { learnBaselines, type ServiceBaseline } from '../core/guard/baseline.ts';
import { tellWayOut } from '../core/guard/block.ts';
import { layOutInSlices } from '../core/guard/lay-out.ts';
import { nextStepOut, type StepOutAnswer, settleMsOf } from '../core/guard/next-step-out.ts';
import { chooseTogether } from '../core/guard/together.ts';
import { findLostProtection } from '../core/guard/unprotected.ts';
import { tellOldVersions } from '../core/hand-over/old-version.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { NodeRef } from '../core/model/node.ts';
import type { ServingFacts } from '../core/model/serving.ts';
import { addForeignActs } from '../core/status/foreign-acts.ts';
import type { ForeignAct } from '../core/status/status.ts';
import { findRefusedBehind, hintRefused, noteRefused } from '../core/waits/refused.ts';
import type { Ports } from '../ports/ports.ts';
import { findExcludedNewNodes, keepCordoned } from './acts-on-nodes.ts';
import { createDismissals } from './dismissals.ts';
import { openPoolFence, type PoolFence } from './fence.ts';
import { inSlices } from './in-slices.ts';
import type { Looking } from './looking.ts';
import { type Look, type Outcome, pollUntil } from './polling.ts';
import {
  createStepOutActs,
  describeStepOut,
  findNode,
  type StepOutInput,
  type StepsOut,
  tellStepsOut,
} from './step-out-acts.ts';
import type { Wake } from './waking.ts';

/** As many go in one moment: what is told of them stays far below what a payload may weigh. */
const togetherAtMost = 20;

/** On so many looks agree at a time: enough that those who are next have not to wait once more. */
const agreedAtMost = 2 * togetherAtMost;

/** Nodes that have stepped out, and what was noticed beside. */
export interface SteppedOut extends StepsOut {
  readonly foreignActs: readonly ForeignAct[];
}

/** The step that lets nodes step out. */
export function createStepOutSteps(ports: Ports, looking: Looking, wake: Wake) {
  const { clock, cluster } = ports;
  const { letGo } = createStepOutActs(ports, looking, ask);
  const { dismiss } = createDismissals(ports, looking);
  /** Nodes that this worker's looks have agreed on, which may be out together, by run. A worker that is new to a run looks anew. */
  const agreements = new Map<string, Agreed>();

  return {
    /**
     * Looks until the guard lets waiting nodes go, and excludes them from load balancers in the same breath: under a lock that all runs of
     * the cluster share, from a look that was taken under it. What chooses them may be a little old; what decides is not. Nodes that an
     * earlier attempt has excluded are answered first. The deadline runs only while nothing of ours is in flight.
     */
    letNextStepOut: async (input: StepOutInput): Promise<Outcome<SteppedOut>> => {
      /** When the last look began, if all it found wanting was that looks agree for a while: what it read will do to choose by. */
      let settlingSince: number | undefined;
      const fence = openPoolFence(cluster, input);
      return await pollUntil<SteppedOut>({
        clock,
        what: 'capacity to let another node step out',
        deadlineMs: undefined,
        pollMs: input.policy.waits.pollMs,
        hint: 'Scale up or mend what does not serve; then resume.',
        look: fence.around<SteppedOut>(async ({ now, since, memo }) => {
          const known = (memo['baselines'] as readonly ServiceBaseline[] | undefined) ?? input.baselines;
          const scope = { policy: input.policy, baselines: known };
          // Asked first: a pool that is noted later has no nodes yet.
          const incomingPools = await cluster.findIncomingPools();
          const facts = { ...(await looking.serving(scope, { since: settlingSince ?? now })), incomingPools };
          await inSlices(layOutInSlices(facts));
          // A released pod that nobody wants any more would hold its node for ever: nobody else ends it.
          const { run, policy } = input;
          const dismissed = await dismiss(facts.cluster, { run, policy, now, fence, known: memo['dismissed'] });
          const baselines = learnBaselines(known, facts, input.policy);
          const foreignActs = addForeignActs((memo['foreignActs'] as readonly ForeignAct[] | undefined) ?? [], [
            ...(await keepCordoned(fence.acting, input.waiting, input.run, facts)),
            ...findExcludedNewNodes(facts, input.policy),
          ]);
          const seen = { foreignActs, ...(baselines === input.baselines ? {} : { baselines }) };

          const strays = input.waiting.filter((node) => isExcludedBy(node, facts, input.run));
          if (strays.length > 0) {
            const before = strays.map((node) => describeStepOut(node, 'excluded before', facts, input));
            return { done: true, value: { ...tellStepsOut(before, undefined), ...seen } };
          }
          const inFlight = input.inFlight.filter(
            (node) => indexOf(facts.cluster).nodes.get(node.name)?.uid === node.uid,
          );
          const question = { ...input, baselines, inFlight };
          await nextTurn();
          await agreeOn(question, facts);
          await nextTurn();
          const answer = ask(question, facts);
          const settles = (answer.settlesInMs ?? Number.POSITIVE_INFINITY) <= input.policy.waits.pollMs;
          settlingSince = settles && settlingSince === undefined ? now : undefined;
          const stepped = answer.node === undefined ? undefined : await letGoWith(answer.node, question, facts, fence);
          if (stepped?.done === true) return { done: true, value: { ...seen, ...stepped.value } };
          const { blockedBy } = answer;
          const refused = blockedBy === undefined ? [] : findRefusedBehind(blockedBy, facts.cluster);
          await wake(refused, { run, fence });
          const held = `${stepped?.reason ?? answer.reason}${noteRefused(refused)}`;
          const reason = [held, dismissed.reason ?? [], tellOldVersions(facts.cluster, run) ?? []].flat().join('; ');
          const lonelySince =
            inFlight.length > 0 ? now : typeof memo['lonelySince'] === 'number' ? memo['lonelySince'] : since;
          const giveUp = now - lonelySince >= input.policy.waits.deadlines.guardMs;
          const againInMs = stepped?.againInMs ?? Math.min(answer.settlesInMs ?? Infinity, input.policy.waits.pollMs);
          const hint =
            blockedBy && (hintRefused(refused) ?? tellGathered(blockedBy.node, facts.cluster) ?? tellWayOut(blockedBy));
          const told = { reason, ...(hint === undefined ? {} : { hint }) };
          return {
            done: false,
            ...told,
            memo: { lonelySince, dismissed: dismissed.known, ...seen },
            giveUp,
            againInMs,
          };
        }),
      });
    },
  };

  /** One more look at who may be out together: what lets them go is what every look of the settling time allowed, not the last alone. */
  async function agreeOn(input: StepOutInput, facts: ServingFacts): Promise<void> {
    const known = agreements.get(input.run) ?? {};
    const names: string[] = [];
    if (findLost(input, facts) === undefined) {
      for (const { name } of chooseTogether({ ...input, facts, agreed: known }, agreedAtMost)) {
        names.push(name);
        // Hundreds of nodes take a while to decide on, and heartbeats of other steps must not wait for it.
        await nextTurn();
      }
    }
    agreements.set(input.run, agree(known, names, facts.observedAt));
  }

  function ask(input: StepOutInput, facts: ServingFacts): StepOutAnswer {
    const lost = findLost(input, facts);
    if (lost !== undefined) return { node: undefined, reason: lost, agreed: {} };
    return nextStepOut({ ...input, facts, agreed: agreements.get(input.run) ?? {} });
  }

  /** Lets go who is next, and with it all that looks have agreed on together with it. */
  async function letGoWith(
    next: NodeRef,
    input: StepOutInput,
    facts: ServingFacts,
    fence: PoolFence,
  ): Promise<Look<StepsOut>> {
    const agreed = agreements.get(input.run) ?? {};
    const others = input.waiting.filter(
      (node) => node.name !== next.name && isSettled(agreed, node.name, facts.observedAt, settleMsOf(node, input)),
    );
    const room = Math.min(togetherAtMost, input.policy.guard.maxInFlight - input.inFlight.length) - 1;
    const onRefused = ({ name }: NodeRef) => {
      agreements.set(input.run, disagree(agreements.get(input.run) ?? {}, name));
    };
    return await letGo([next, ...others.slice(0, Math.max(0, room))], input, facts, { fence, onRefused });
  }
}

function findLost(input: StepOutInput, facts: ServingFacts): string | undefined {
  return findLostProtection({ ...input, facts, nodes: input.waiting });
}

function isExcludedBy(node: NodeRef, facts: ServingFacts, run: string): boolean {
  const seen = findNode(node, facts);
  return seen?.excluded === true && seen.marks.excludedBy === run;
}
