import { type Agreed, disagree } from '../core/guard/agreement.ts';
import { learnBaselines, type ServiceBaseline } from '../core/guard/baseline.ts';
import { type GuardQuestion, openGuard } from '../core/guard/guard.ts';
import { nextStepOut, type StepOutAnswer } from '../core/guard/next-step-out.ts';
import { findTouched } from '../core/guard/touched.ts';
import { findLostProtection } from '../core/guard/unprotected.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { NodeFacts, NodeRef } from '../core/model/node.ts';
import type { ServingFacts } from '../core/model/serving.ts';
import { addForeignActs } from '../core/status/foreign-acts.ts';
import type { Evidence, ForeignAct } from '../core/status/status.ts';
import { listNames } from '../core/text/format.ts';
import { isEnabled } from '../core/waits/formulas.ts';
import { targetsOf } from '../core/waits/load-balancers.ts';
import { type EndpointSnapshot, snapshotEndpoints } from '../core/waits/replacements.ts';
import type { Ports } from '../ports/ports.ts';
import { findExcludedNewNodes, keepCordoned, requireDeadMachine, tellNode } from './acts-on-nodes.ts';
import { whileLocked } from './fence.ts';
import { createGiveBack } from './give-back-acts.ts';
import type { Looking } from './looking.ts';
import { type Look, type Outcome, pollUntil, throwIfCancelled } from './polling.ts';
import { stepOutLock, withShortLocks } from './short-locks.ts';

/** Another run is in that moment: it is over soon, ms. */
const lockedAgainMs = 500;

/** Who asks to let a node step out, and what the guard has to know of it. */
export interface StepOutInput extends Omit<GuardQuestion, 'facts'> {
  readonly run: string;
}

/** A node that has stepped out, why, and what was seen of it. */
export interface SteppedOut {
  readonly node: NodeRef;
  readonly reason: string;
  readonly evidence: readonly Evidence[];
  /** Ready endpoints of its Services before it went, for the wait on their replacements. */
  readonly before: EndpointSnapshot;
  /** What is known of every Service by now; absent when nothing better was seen than what the step was told. */
  readonly baselines?: readonly ServiceBaseline[];
  readonly foreignActs: readonly ForeignAct[];
  /** Keys of the Services that its replacement has to do with; absent in answers of earlier versions. */
  readonly touches?: readonly string[];
}

/** The step that lets nodes step out, one at a time. */
export function createStepOutSteps(ports: Ports, looking: Looking) {
  const { clock, cluster, pools } = ports;
  const { giveBackNow } = createGiveBack(cluster);
  /** What this worker's looks have agreed on, by run. A worker that is new to a run looks anew. */
  const agreements = new Map<string, Agreed>();

  return {
    /**
     * Looks until the guard lets a waiting node go, and excludes that node from load balancers in the same breath: under a lock that all
     * runs of the cluster share, from a look that was taken under it. What chooses the node may be a little old; what decides is not. A
     * node that an earlier attempt has excluded is answered first. The deadline runs only while nothing of ours is in flight.
     */
    letNextStepOut: async (input: StepOutInput): Promise<Outcome<SteppedOut>> => {
      /** When the last look began, if all it found wanting was that looks agree for a while: what it read will do to choose by. */
      let settlingSince: number | undefined;
      return await pollUntil<SteppedOut>({
        clock,
        what: 'capacity to let another node step out',
        deadlineMs: undefined,
        pollMs: input.policy.waits.pollMs,
        hint: 'Scale up or mend what does not serve; then resume.',
        look: whileLocked(cluster, input, async ({ now, since, memo }) => {
          const known = (memo['baselines'] as readonly ServiceBaseline[] | undefined) ?? input.baselines;
          const scope = { policy: input.policy, baselines: known };
          const facts = await looking.serving(scope, { since: settlingSince ?? now });
          // A released pod whose workload is gone would hold its node for ever: nobody else ends it.
          await giveBackNow(facts.cluster, input.run, { isAsked: ({ kind }) => kind === 'deletePod' });
          const baselines = learnBaselines(known, facts, input.policy);
          const foreignActs = addForeignActs((memo['foreignActs'] as readonly ForeignAct[] | undefined) ?? [], [
            ...(await keepCordoned(cluster, input.waiting, input.run, facts)),
            ...findExcludedNewNodes(facts, input.policy),
          ]);
          const seen = { foreignActs, ...(baselines === input.baselines ? {} : { baselines }) };

          const stray = input.waiting.find((node) => isExcludedBy(node, facts, input.run));
          if (stray !== undefined)
            return { done: true, value: { ...describeStepOut(stray, 'excluded before', facts), ...seen } };
          const inFlight = input.inFlight.filter(
            (node) => indexOf(facts.cluster).nodes.get(node.name)?.uid === node.uid,
          );
          const answer = ask({ ...input, baselines, inFlight }, facts);
          agreements.set(input.run, answer.agreed);
          const settles = (answer.settlesInMs ?? Number.POSITIVE_INFINITY) <= input.policy.waits.pollMs;
          settlingSince = settles && settlingSince === undefined ? now : undefined;
          const stepped =
            answer.node === undefined ? undefined : await act(answer.node, { ...input, baselines, inFlight }, facts);
          if (stepped?.done === true) return { done: true, value: { ...seen, ...stepped.value } };
          const reason = stepped?.reason ?? answer.reason;
          const lonelySince =
            inFlight.length > 0 ? now : typeof memo['lonelySince'] === 'number' ? memo['lonelySince'] : since;
          const giveUp = now - lonelySince >= input.policy.waits.deadlines.guardMs;
          const againInMs = stepped?.againInMs ?? Math.min(answer.settlesInMs ?? Infinity, input.policy.waits.pollMs);
          return { done: false, reason, memo: { lonelySince, ...seen }, giveUp, againInMs };
        }),
      });
    },
  };

  function ask(input: StepOutInput, facts: ServingFacts): StepOutAnswer {
    const lost = findLostProtection({ ...input, facts, nodes: input.waiting });
    if (lost !== undefined) return { node: undefined, reason: lost, agreed: {} };
    return nextStepOut({ ...input, facts, agreed: agreements.get(input.run) ?? {} });
  }

  /** Looks once more, under the lock, and acts on that look alone. */
  async function act(node: NodeRef, input: StepOutInput, earlier: ServingFacts): Promise<Look<StepOutOnly>> {
    const { run, policy } = input;
    return await withShortLocks<Look<StepOutOnly>>(ports, {
      run,
      names: [stepOutLock],
      whenHeld: () => ({
        done: false,
        reason: `${node.name} waits: another node is let go just now`,
        againInMs: lockedAgainMs,
      }),
      body: async (held) => {
        const seen = await held.during(lookToDecide(node, input, earlier));
        if (seen === undefined)
          return {
            done: false,
            reason: `${node.name} waits: what it serves has changed just now`,
            againInMs: lockedAgainMs,
          };
        const { facts, baselines } = seen;
        const again = ask({ ...input, baselines, waiting: [node] }, facts);
        if (again.node === undefined) {
          agreements.set(run, disagree(agreements.get(run) ?? {}, node.name));
          return { done: false, reason: again.reason };
        }
        throwIfCancelled();
        await held.require();
        if ((await cluster.exclude(node, run)) === 'gone') await requireDeadMachine(pools, node, policy);
        await looking.cluster();
        await tellNode(cluster, node, 'SteppedOut', `excluded from load balancers by run ${run}`);
        const better = baselines === input.baselines ? {} : { baselines };
        return { done: true, value: { ...describeStepOut(node, again.reason, facts), ...better } };
      },
    });
  }

  /**
   * A look in which all that decides about the node was read after the call. Undefined when something decides about it by now that was
   * not read.
   */
  async function lookToDecide(
    node: NodeRef,
    input: StepOutInput,
    earlier: ServingFacts,
  ): Promise<{ readonly facts: ServingFacts; readonly baselines: readonly ServiceBaseline[] } | undefined> {
    const { policy } = input;
    const decidedBy = (facts: ServingFacts, { baselines } = input) =>
      isEnabled(policy, 'capacity-guard')
        ? openGuard({ ...input, baselines, waiting: [node], facts }).decidedBy(node)
        : [];
    const before = { ...earlier, cluster: await looking.cluster() };
    const read = new Set([...decidedBy(earlier), ...decidedBy(before)]);
    const facts = await looking.servingAgain(earlier, input, [...read]);
    if (facts === undefined) return undefined;
    const baselines = learnBaselines(input.baselines, facts, policy);
    return decidedBy(facts, { ...input, baselines }).every((service) => read.has(service))
      ? { facts, baselines }
      : undefined;
  }
}

function seenNode(node: NodeRef, facts: ServingFacts): NodeFacts | undefined {
  const seen = indexOf(facts.cluster).nodes.get(node.name);
  return seen?.uid === node.uid ? seen : undefined;
}

function isExcludedBy(node: NodeRef, facts: ServingFacts, run: string): boolean {
  const seen = seenNode(node, facts);
  return seen?.excluded === true && seen.marks.excludedBy === run;
}

type StepOutOnly = Omit<SteppedOut, 'foreignActs'>;

/** What is told of a node that steps out. */
export function describeStepOut(node: NodeRef, reason: string, facts: ServingFacts): StepOutOnly {
  const at = facts.observedAt;
  const wasOut = seenNode(node, facts)?.excluded === true;
  const detail = wasOut ? 'excluded already' : 'label exclude-from-external-load-balancers';
  const evidence = [...seenServing(node, facts), { kind: 'excluded', at, detail } as const];
  return { node, reason, evidence, before: snapshotEndpoints(node, facts), touches: findTouched(node, facts) };
}

/** What the load balancers said of the node while it still served. */
function seenServing(node: NodeRef, facts: ServingFacts): readonly Evidence[] {
  const targets = facts.targetGroups.flatMap((group) => targetsOf(node, group).map((target) => ({ group, target })));
  if (targets.length === 0) return [];
  const at = facts.observedAt;
  const healthy = targets.filter(({ target }) => target.state === 'healthy');
  const names = (list: typeof targets) => listNames(list.map(({ group }) => group.name));
  return [
    { kind: 'registered', at, detail: names(targets) },
    ...(healthy.length === 0 ? [] : [{ kind: 'healthy' as const, at, detail: names(healthy) }]),
  ];
}
