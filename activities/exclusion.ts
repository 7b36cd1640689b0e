import { learnBaselines, type ServiceBaseline } from '../core/guard/baseline.ts';
import { openGuard } from '../core/guard/guard.ts';
import type { CandidateQuestion, GuardDecision } from '../core/guard/select-candidate.ts';
import { servicesAffected } from '../core/guard/services-affected.ts';
import { indexOf } from '../core/model/cluster-index.ts';
import type { NodeFacts, NodeRef } from '../core/model/node.ts';
import { exclusionLock } from '../core/model/pool-lock.ts';
import { NodeferryError } from '../core/model/problem.ts';
import type { ServingFacts } from '../core/model/serving.ts';
import { findSuccessor } from '../core/model/successor.ts';
import { targetsOf } from '../core/model/targets-of.ts';
import type { UnplacedPods } from '../core/model/unplaced.ts';
import { findPeers, membersOf } from '../core/policy/members.ts';
import { isEnabled } from '../core/policy/rules.ts';
import type { Evidence } from '../core/status/status.ts';
import { listNames } from '../core/text/format.ts';
import { findAside, type NodesAside } from '../core/waits/hosts.ts';
import { type EndpointSnapshot, snapshotEndpoints } from '../core/waits/replacements.ts';
import type { Observer } from '../operations/observer.ts';
import type { WindowQuestion } from '../operations/window-gate.ts';
import type { Actions } from '../ports/cluster/actions.ts';
import type { Events } from '../ports/cluster/events.ts';
import type { Fencing } from '../ports/cluster/fencing.ts';
import type { Locks } from '../ports/cluster/locks.ts';
import type { Ports } from '../ports/ports.ts';
import { removeDiscardedFence } from './discarded-rounds.ts';
import type { Fence, PoolStepInput } from './fence.ts';
import { type HeldLocks, withLocks } from './momentary-locks.ts';
import { publishNodeEvent, requireInstanceGone } from './node-actions.ts';
import { isCancelled, type Poll, throwIfCancelled } from './polling.ts';

/** Retry interval while another run holds the lock, which is short, ms. */
const lockedAgainMs = 500;

/** How long load balancer state that was read under the lock covers further nodes; the cluster is observed for each, ms. */
const readForMs = 3_000;

/** Who asks for an exclusion, and what the guard has to know about it. */
export interface ExcludeInput extends Omit<CandidateQuestion, 'facts' | 'stableSince'>, PoolStepInput {
  /** What must fit into an upgrade window; absent when no window is waited for. */
  readonly window?: WindowQuestion;
  /** Pods that had no node when the run was planned; see UnplacedPods. */
  readonly unplaced?: UnplacedPods;
}

/** Fences the exclusion, and is notified of nodes that may not be excluded after all. */
interface ExclusionMoment {
  readonly fence: Fence;
  readonly onRefused: (node: NodeRef) => void;
}

/** An excluded node, and what was observed about it. */
export interface Exclusion {
  readonly node: NodeRef;
  readonly evidence: readonly Evidence[];
  /** Ready endpoints of its Services before it was excluded, for the wait on their replacements. */
  readonly before: EndpointSnapshot;
  /** Other nodes that load balancers sent nothing to at that time; absent when there was none. */
  readonly aside?: NodesAside;
  /** Keys of the Services that its replacement affects; absent in results of earlier versions. */
  readonly services?: readonly string[];
}

/** Nodes that were excluded together, and what is known about every Service since. */
export interface ExclusionBatch extends Exclusion {
  /** Other nodes that were excluded with it. */
  readonly others?: readonly Exclusion[];
  /** Absent when nothing better was observed than the step already knew. */
  readonly baselines?: readonly ServiceBaseline[];
}

/** Asks the guard which node is next. */
type AskGuard = (input: ExcludeInput, facts: ServingFacts) => GuardDecision;

/** The observation that decides, and the Services whose load balancers it has read. */
interface DecidingObservation {
  readonly facts: ServingFacts;
  readonly baselines: readonly ServiceBaseline[];
  readonly read: ReadonlySet<string>;
}

/** The actions that exclude nodes. */
export function createExclusion(ports: Ports<Actions & Fencing & Locks & Events>, observer: Observer, ask: AskGuard) {
  const { clock, cluster, pools } = ports;

  return {
    /**
     * Observes once more, under the lock, and excludes these nodes one after another as far as the guard allows from that observation alone:
     * each as if those before it were out, and with a new observation of the cluster. Load balancers change within seconds and are read once
     * for all of them, so a node that is not excluded a few seconds later waits for the next batch.
     */
    excludeBatch: async (
      nodes: readonly [NodeRef, ...NodeRef[]],
      input: ExcludeInput,
      earlier: ServingFacts,
      moment: ExclusionMoment,
    ): Promise<Poll<ExclusionBatch>> => {
      const [first] = nodes;
      return await withLocks<Poll<ExclusionBatch>>(ports, {
        run: input.run,
        names: [exclusionLock],
        whenBusy: () => wait(`${first.name} waits: another node is being excluded`, lockedAgainMs),
        body: async (held) => {
          const observation = await held.during(observeToDecide(nodes, input, earlier));
          if (observation === undefined)
            return wait(`${first.name} waits: what it serves has changed just now`, lockedAgainMs);
          const again = ask({ ...input, baselines: observation.baselines, waiting: [first] }, observation.facts);
          if (again.node === undefined) {
            moment.onRefused(first);
            return { done: false, reason: again.reason };
          }
          throwIfCancelled();
          await exclude(first, input, observation, { held, fence: moment.fence });
          const gone = [describeExclusion(first, again.because, observation.facts, input)];
          const baselines = await excludeRest(nodes.slice(1), gone, { ...moment, input, observation, held });
          await observer.cluster();
          for (const { node } of gone)
            await publishNodeEvent(cluster, node, 'Excluded', `excluded from load balancers by run ${input.run}`);
          return { done: true, value: describeBatch(gone, baselines === input.baselines ? undefined : baselines) };
        },
      });
    },
  };

  /** Excludes the others while nothing blocks it. An error on one of them is left to the attempt that handles that node. */
  async function excludeRest(
    nodes: readonly NodeRef[],
    gone: Exclusion[],
    moment: ExclusionMoment & {
      readonly input: ExcludeInput;
      readonly observation: DecidingObservation;
      readonly held: HeldLocks;
    },
  ): Promise<readonly ServiceBaseline[]> {
    const { input, held, fence, onRefused } = moment;
    let { observation } = moment;
    const readAt = observation.facts.observedAt;
    try {
      for (const node of nodes) {
        if (clock.now() - readAt >= readForMs) break;
        const inFlight = [...input.inFlight, ...gone.map((one) => one.node)];
        const next = await observeAgain(node, { ...input, inFlight }, observation);
        if (next === undefined) break;
        observation = next;
        const answer = ask(
          { ...input, inFlight, baselines: observation.baselines, waiting: [node] },
          observation.facts,
        );
        if (answer.node === undefined) {
          onRefused(node);
          break;
        }
        if (isCancelled()) break;
        await exclude(node, input, observation, { held, fence });
        gone.push(describeExclusion(node, answer.because, observation.facts, input));
      }
    } catch (error) {
      // Whether the node was excluded is observed when it is next.
      if (!(error instanceof NodeferryError)) throw error;
    }
    return observation.baselines;
  }

  async function exclude(
    node: NodeRef,
    input: ExcludeInput,
    { facts }: DecidingObservation,
    { held, fence }: { readonly held: HeldLocks; readonly fence: Fence },
  ): Promise<void> {
    const { run, policy } = input;
    await held.require();
    const excluded = await cluster.guarded(fence.check).exclude(node, run);
    await removeDiscardedFence(cluster, findNode(node, facts), input, fence);
    // One whose name another node has by now ends in its steps.
    if (excluded === 'gone' && findSuccessor(node, await observer.cluster()) === undefined)
      await requireInstanceGone(pools, node, policy);
  }

  /**
   * An observation in which everything that decides about the nodes was read after the call. Undefined when something that was not read
   * decides about the first node by now.
   */
  async function observeToDecide(
    nodes: readonly [NodeRef, ...NodeRef[]],
    input: ExcludeInput,
    earlier: ServingFacts,
  ): Promise<DecidingObservation | undefined> {
    const before = { ...earlier, cluster: await observer.cluster() };
    const read = new Set([...decidedBy(nodes, input, earlier), ...decidedBy(nodes, input, before)]);
    const facts = await observer.refresh(earlier, input, [...read]);
    if (facts === undefined) return undefined;
    return ifStillCovered(nodes[0], input, {
      facts,
      read,
      baselines: learnBaselines(input.baselines, facts, input.policy),
    });
  }

  /** The current cluster, with load balancers as they were read; undefined when that no longer covers everything that decides. */
  async function observeAgain(
    node: NodeRef,
    input: ExcludeInput,
    observation: DecidingObservation,
  ): Promise<DecidingObservation | undefined> {
    const facts = await observer.refresh(observation.facts, input, []);
    if (facts === undefined) return undefined;
    return ifStillCovered(node, input, {
      ...observation,
      facts,
      baselines: learnBaselines(observation.baselines, facts, input.policy),
    });
  }
}

/** The observation, if everything that decides about the node was read for it. */
function ifStillCovered(
  node: NodeRef,
  input: ExcludeInput,
  observation: DecidingObservation,
): DecidingObservation | undefined {
  const { facts, baselines, read } = observation;
  return decidedBy([node], { ...input, baselines }, facts).every((service) => read.has(service))
    ? observation
    : undefined;
}

/** Keys of the Services whose load balancers decide about the nodes. */
function decidedBy(nodes: readonly NodeRef[], input: ExcludeInput, facts: ServingFacts): readonly string[] {
  if (!isEnabled(input.policy, 'capacity-guard')) return [];
  const guard = openGuard({ ...input, waiting: nodes, facts });
  return nodes.flatMap((node) => guard.decidedBy(node));
}

/** The result for nodes that are excluded together. */
export function describeBatch(
  [first, ...others]: readonly Exclusion[],
  baselines: readonly ServiceBaseline[] | undefined,
): ExclusionBatch {
  if (first === undefined) throw new RangeError('no node has been excluded');
  return {
    ...first,
    ...(others.length === 0 ? {} : { others: others }),
    ...(baselines === undefined ? {} : { baselines }),
  };
}

/** The result for an excluded node, with the reason if the guard has allowed it just now. */
export function describeExclusion(
  node: NodeRef,
  because: string | undefined,
  facts: ServingFacts,
  { policy, unplaced }: Pick<ExcludeInput, 'policy' | 'unplaced'>,
): Exclusion {
  const at = facts.observedAt;
  const seen = findNode(node, facts);
  const detail = seen?.excluded === true ? 'excluded already' : 'label set';
  const excluded: Evidence = { kind: 'excluded', at, detail, ...(because === undefined ? {} : { because }) };
  const evidence = [...seenServing(node, facts), excluded];
  const before = snapshotEndpoints(node, facts, unplaced);
  const leaving = findPeers(seen?.uid, membersOf(facts.cluster, policy)) ?? new Set<string>();
  const aside = findAside({ facts, policy, leaving }, Object.keys(before));
  const told = Object.keys(aside).length === 0 ? {} : { aside };
  return { node, evidence, before, services: servicesAffected(node, facts), ...told };
}

/** Exactly this node, if it exists. */
export function findNode(node: NodeRef, facts: ServingFacts): NodeFacts | undefined {
  const seen = indexOf(facts.cluster).nodes.get(node.name);
  return seen?.uid === node.uid ? seen : undefined;
}

/** What load balancers reported about the node while it still served. */
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

function wait(reason: string, requeueAfterMs: number): Poll<never> {
  return { done: false, reason, requeueAfterMs };
}
