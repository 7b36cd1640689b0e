import { learnBaselines, type ServiceBaseline } from '../core/guard/baseline.ts';
import { openGuard } from '../core/guard/guard.ts';
import type { StepOutAnswer, StepOutQuestion } from '../core/guard/next-step-out.ts';
import { findTouched } from '../core/guard/touched.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { NodeFacts, NodeRef } from '../core/model/node.ts';
import { stepOutLock } from '../core/model/pool-lock.ts';
import { NodeferryError } from '../core/model/problem.ts';
import type { ServingFacts } from '../core/model/serving.ts';
import type { UnplacedPods } from '../core/model/unplaced.ts';
import type { Evidence } from '../core/status/status.ts';
import { listNames } from '../core/text/format.ts';
import { isEnabled } from '../core/waits/formulas.ts';
import { findAside, type NodesAside } from '../core/waits/hosts.ts';
import { targetsOf } from '../core/waits/load-balancers.ts';
import { type EndpointSnapshot, snapshotEndpoints } from '../core/waits/replacements.ts';
import type { Ports } from '../ports/ports.ts';
import { requireDeadMachine, tellNode } from './acts-on-nodes.ts';
import type { PoolFence, PoolStepInput } from './fence.ts';
import type { Looking } from './looking.ts';
import { isCancelled, type Look, throwIfCancelled } from './polling.ts';
import { type Held, withShortLocks } from './short-locks.ts';

/** Another run is in that moment: it is over soon, ms. */
const lockedAgainMs = 500;

/** So long what load balancers said under the lock lets further nodes go; the cluster is looked at for each, ms. */
const readForMs = 3_000;

/** Who asks to let a node step out, and what the guard has to know of it. */
export interface StepOutInput extends Omit<StepOutQuestion, 'facts' | 'agreed'>, PoolStepInput {
  /** Pods that had no node when the run was planned; see UnplacedPods. */
  readonly unplaced?: UnplacedPods;
}

/** Keeps whoever lets go from acting out of turn, and hears of nodes that may not go after all. */
export interface LettingGo {
  readonly fence: PoolFence;
  readonly onRefused: (node: NodeRef) => void;
}

/** A node that has stepped out, why, and what was seen of it. */
export interface StepOut {
  readonly node: NodeRef;
  readonly reason: string;
  readonly evidence: readonly Evidence[];
  /** Ready endpoints of its Services before it went, for the wait on their replacements. */
  readonly before: EndpointSnapshot;
  /** Nodes beside it that load balancers sent nothing to by then; absent when there was none. */
  readonly aside?: NodesAside;
  /** Keys of the Services that its replacement has to do with; absent in answers of earlier versions. */
  readonly touches?: readonly string[];
}

/** Nodes that have stepped out in one moment, and what is known of every Service since. */
export interface StepsOut extends StepOut {
  /** Others that went with it. */
  readonly alongside?: readonly StepOut[];
  /** Absent when nothing better was seen than what the step was told. */
  readonly baselines?: readonly ServiceBaseline[];
}

/** Asks the guard who is next. */
export type AskGuard = (input: StepOutInput, facts: ServingFacts) => StepOutAnswer;

/** What decides, and which Services' load balancers it was read from. */
interface DecidingLook {
  readonly facts: ServingFacts;
  readonly baselines: readonly ServiceBaseline[];
  readonly read: ReadonlySet<string>;
}

/** The acts that let nodes step out. */
export function createStepOutActs(ports: Ports, looking: Looking, ask: AskGuard) {
  const { clock, cluster, pools } = ports;

  return {
    /**
     * Looks once more, under the lock, and lets these nodes go one after another as far as the guard allows on that look alone: each as
     * though those before it were out, and with a new look at the cluster. Load balancers change in seconds and are read once for all of
     * them, so whoever is not gone a few seconds later waits for the next moment.
     */
    letGo: async (
      nodes: readonly [NodeRef, ...NodeRef[]],
      input: StepOutInput,
      earlier: ServingFacts,
      letting: LettingGo,
    ): Promise<Look<StepsOut>> => {
      const [first] = nodes;
      return await withShortLocks<Look<StepsOut>>(ports, {
        run: input.run,
        names: [stepOutLock],
        whenHeld: () => wait(`${first.name} waits: another node is let go just now`, lockedAgainMs),
        body: async (held) => {
          const look = await held.during(lookToDecide(nodes, input, earlier));
          if (look === undefined)
            return wait(`${first.name} waits: what it serves has changed just now`, lockedAgainMs);
          const again = ask({ ...input, baselines: look.baselines, waiting: [first] }, look.facts);
          if (again.node === undefined) {
            letting.onRefused(first);
            return { done: false, reason: again.reason };
          }
          throwIfCancelled();
          await exclude(first, input, held, letting.fence);
          const gone = [describeStepOut(first, again.reason, look.facts, input)];
          const baselines = await letFollow(nodes.slice(1), gone, { ...letting, input, look, held });
          await looking.cluster();
          for (const { node } of gone)
            await tellNode(cluster, node, 'SteppedOut', `excluded from load balancers by run ${input.run}`);
          return { done: true, value: tellStepsOut(gone, baselines === input.baselines ? undefined : baselines) };
        },
      });
    },
  };

  /** Lets the others go while nothing speaks against it; what goes wrong with one of them is left to its own turn. */
  async function letFollow(
    nodes: readonly NodeRef[],
    gone: StepOut[],
    moment: LettingGo & { readonly input: StepOutInput; readonly look: DecidingLook; readonly held: Held },
  ): Promise<readonly ServiceBaseline[]> {
    const { input, held, fence, onRefused } = moment;
    let { look } = moment;
    const readAt = look.facts.observedAt;
    try {
      for (const node of nodes) {
        if (clock.now() - readAt >= readForMs) break;
        const inFlight = [...input.inFlight, ...gone.map((one) => one.node)];
        const next = await lookOnceMore(node, { ...input, inFlight }, look);
        if (next === undefined) break;
        look = next;
        const answer = ask({ ...input, inFlight, baselines: look.baselines, waiting: [node] }, look.facts);
        if (answer.node === undefined) {
          onRefused(node);
          break;
        }
        if (isCancelled()) break;
        await exclude(node, input, held, fence);
        gone.push(describeStepOut(node, answer.reason, look.facts, input));
      }
    } catch (error) {
      // Whether it has gone or not is seen when it is its turn.
      if (!(error instanceof NodeferryError)) throw error;
    }
    return look.baselines;
  }

  async function exclude(node: NodeRef, input: StepOutInput, held: Held, { acting }: PoolFence): Promise<void> {
    const { run, policy } = input;
    await held.require();
    if ((await acting.exclude(node, run)) === 'gone') await requireDeadMachine(pools, node, policy);
  }

  /**
   * A look in which all that decides about the nodes was read after the call. Undefined when something decides about the first by now that
   * was not read.
   */
  async function lookToDecide(
    nodes: readonly [NodeRef, ...NodeRef[]],
    input: StepOutInput,
    earlier: ServingFacts,
  ): Promise<DecidingLook | undefined> {
    const before = { ...earlier, cluster: await looking.cluster() };
    const read = new Set([...decidedBy(nodes, input, earlier), ...decidedBy(nodes, input, before)]);
    const facts = await looking.servingAgain(earlier, input, [...read]);
    if (facts === undefined) return undefined;
    return heldTo(nodes[0], input, { facts, read, baselines: learnBaselines(input.baselines, facts, input.policy) });
  }

  /** The cluster as it is by now, and load balancers as they were read; undefined when that no longer is all that decides. */
  async function lookOnceMore(
    node: NodeRef,
    input: StepOutInput,
    look: DecidingLook,
  ): Promise<DecidingLook | undefined> {
    const facts = await looking.servingAgain(look.facts, input, []);
    if (facts === undefined) return undefined;
    return heldTo(node, input, { ...look, facts, baselines: learnBaselines(look.baselines, facts, input.policy) });
  }
}

/** The look, if all that decides about the node was read for it. */
function heldTo(node: NodeRef, input: StepOutInput, look: DecidingLook): DecidingLook | undefined {
  const { facts, baselines, read } = look;
  return decidedBy([node], { ...input, baselines }, facts).every((service) => read.has(service)) ? look : undefined;
}

/** Keys of the Services whose load balancers decide about the nodes. */
function decidedBy(nodes: readonly NodeRef[], input: StepOutInput, facts: ServingFacts): readonly string[] {
  if (!isEnabled(input.policy, 'capacity-guard')) return [];
  const guard = openGuard({ ...input, waiting: nodes, facts });
  return nodes.flatMap((node) => guard.decidedBy(node));
}

/** What is told of nodes that step out together. */
export function tellStepsOut(
  [first, ...others]: readonly StepOut[],
  baselines: readonly ServiceBaseline[] | undefined,
): StepsOut {
  if (first === undefined) throw new RangeError('no node has stepped out');
  return {
    ...first,
    ...(others.length === 0 ? {} : { alongside: others }),
    ...(baselines === undefined ? {} : { baselines }),
  };
}

/** What is told of a node that steps out. */
export function describeStepOut(
  node: NodeRef,
  reason: string,
  facts: ServingFacts,
  { policy, unplaced }: Pick<StepOutInput, 'policy' | 'unplaced'>,
): StepOut {
  const at = facts.observedAt;
  const seen = findNode(node, facts);
  const detail = seen?.excluded === true ? 'excluded already' : 'label exclude-from-external-load-balancers';
  const evidence = [...seenServing(node, facts), { kind: 'excluded', at, detail } as const];
  const before = snapshotEndpoints(node, facts, unplaced);
  const aside = findAside({ facts, policy, leaving: seen?.pool ?? policy.pool.name }, Object.keys(before));
  const told = Object.keys(aside).length === 0 ? {} : { aside };
  return { node, reason, evidence, before, touches: findTouched(node, facts), ...told };
}

/** The very node, if it is there. */
export function findNode(node: NodeRef, facts: ServingFacts): NodeFacts | undefined {
  const seen = indexOf(facts.cluster).nodes.get(node.name);
  return seen?.uid === node.uid ? seen : undefined;
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

function wait(reason: string, againInMs: number): Look<never> {
  return { done: false, reason, againInMs };
}
