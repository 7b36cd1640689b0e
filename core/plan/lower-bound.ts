import { serviceStates } from '../guard/serving.ts';
import { membershipOf } from '../model/target-group.ts';
import { instanceTargets } from '../model/targets-of.ts';
import { evictionRounds } from './eviction-rounds.ts';
import { type Batch, type BatchesInput, isSurged, podsLeaving, simulateBatches } from './simulate-batches.ts';

/** Delays that no tool can shorten, ms each: they are configured outside, or take that long by themselves. They do not depend on the run. */
export interface LowerBoundDelays {
  /** From requesting an instance until its node is Ready, with its DaemonSet pods. */
  readonly bootMs: number;
  /** From a node joining until it is registered in its target groups. */
  readonly registrationMs: number;
  /** From a pod becoming Ready on a new node until the node is registered in the target groups that have only nodes with pods. */
  readonly hostRegistrationMs: number;
  /** From excluding a node until its controllers have deregistered it. */
  readonly deregistrationMs: number;
  /** New connections may still arrive for this long after deregistration. */
  readonly propagationMs: number;
  /** The load balancer keeps established connections for this long after deregistration. */
  readonly deregistrationDelayMs: number;
  /** From evicting a pod until it is gone. */
  readonly evictionMs: number;
  /** From evicting a pod until its replacement is Ready. */
  readonly replacementReadyMs: number;
  /** From the replacements of a batch becoming Ready until all their targets are healthy. */
  readonly healthyMs: number;
  /** The same until those of one node are. */
  readonly firstHealthyMs: number;
  /** Age that connections through a node reach after the last new one; 0 when there are none. */
  readonly forwardedMs: number;
  /** From requesting the termination of an instance until it is gone. */
  readonly terminationMs: number;
  /** From requesting the deletion of the empty pool until it is gone; 0 when the pool stays. */
  readonly poolDeletionMs: number;
}

/** A run and the delays that it cannot avoid. */
interface LowerBoundInput extends BatchesInput {
  readonly delays: LowerBoundDelays;
}

/** A named part of a duration. */
export interface DurationTerm {
  readonly name: string;
  readonly ms: number;
}

/** What a run with perfect knowledge would need with the same guard. */
export interface LowerBound {
  readonly totalMs: number;
  /** Parts that follow each other and add up to the total. */
  readonly terms: readonly DurationTerm[];
  /** How many nodes left together, batch by batch. */
  readonly batches: readonly number[];
  /** Instance time beyond what the pool costs anyway, minutes: from the request of the new nodes until the old ones have ended. */
  readonly instanceMinutes: number;
}

/**
 * The least time that an upgrade can take with the same minimum serving. First come boot and registration. Then each batch that the guard allows
 * drains its connections, is evicted, and has its replacements healthy before the next batch may begin. What remains of the last batch (pods
 * stopping, connections through its nodes ending, termination) comes at the end, because that of earlier batches overlaps with later ones.
 * Once a node is deregistered, propagation and deregistration delay run in parallel, and so do the stop of a pod and the start of its replacement.
 * The next batch may begin as soon as the quickest node of a batch is done; the last batch must finish whole. With pod surge, replacements start before a batch leaves, those
 * of the first batch while the new nodes are registered, and nothing is waited for after it. If not all new nodes come at once
 * (`spec.nodeSurge`), all of this happens once for each wave of new nodes: the next wave is requested when the old nodes of the one before have
 * ended. At last the empty pool is deleted.
 */
export function lowerBound(input: LowerBoundInput): LowerBound {
  const { batches } = simulateBatches(input);
  const waves = [...Map.groupBy(batches, ({ wave }) => wave).values()];
  const bounds = (waves.length === 0 ? [[]] : waves).map((own, index) => {
    const first = batches.indexOf(own[0] as Batch);
    const label = (at: number) => `batch ${first + at + 1} of ${batches.length}`;
    return boundOf(own, label, waves.length > 1 ? `wave ${index + 1} of ${waves.length}: ` : '', input);
  });
  const deletion = { name: 'deletion of the pool', ms: input.delays.poolDeletionMs };
  const terms = [...bounds.flatMap((bound) => bound.terms), deletion].filter((term) => term.ms > 0);
  return {
    totalMs: sumOf(terms),
    terms,
    batches: batches.map(({ nodes }) => nodes.length),
    instanceMinutes: bounds.reduce((sum, { instanceMs }) => sum + instanceMs, 0) / 60_000,
  };
}

/** One wave of new nodes, from requesting them until the old nodes that they replace have ended. */
function boundOf(
  batches: readonly Batch[],
  label: (index: number) => string,
  wave: string,
  input: LowerBoundInput,
): { readonly terms: readonly DurationTerm[]; readonly instanceMs: number } {
  const { delays } = input;
  const terms: DurationTerm[] = [
    { name: `${wave}boot`, ms: delays.bootMs },
    { name: `${wave}registration`, ms: delays.registrationMs },
  ];
  const one = { ...input, delays: { ...delays, healthyMs: delays.firstHealthyMs } };
  let instanceMs = 0;
  batches.forEach((batch, index) => {
    const last = index === batches.length - 1;
    const whole = passageOf(batch, input);
    const passage = last ? whole : quickest(batch.nodes.map((node) => passageOf({ ...batch, nodes: [node] }, one)));
    const end = closing(delays, whole, wave);
    terms.push({ name: `${label(index)}: pod surge`, ms: podSurgeMs(batch, index === 0, input) });
    const begunMs = sumOf(terms);
    terms.push({ name: `${label(index)}: deregistration and propagation`, ms: passage.connectionDrainMs });
    terms.push({
      name: `${label(index)}: eviction and replacement ready`,
      ms: passage.rounds * delays.replacementReadyMs,
    });
    terms.push({ name: `${label(index)}: replacement healthy`, ms: passage.healthyMs });
    if (last) terms.push(...end);
    instanceMs += batch.nodes.length * (begunMs + whole.passedMs + sumOf(end));
  });
  return { terms, instanceMs };
}

function sumOf(terms: readonly DurationTerm[]): number {
  return terms.reduce((sum, { ms }) => sum + ms, 0);
}

/** What nodes that leave together must wait for. */
interface Passage {
  /** 0 for nodes that are in no target group. */
  readonly connectionDrainMs: number;
  /** Rounds of evictions that replacements must follow; 0 when no pod has to be replaced. */
  readonly rounds: number;
  /** 0 for nodes without an endpoint that a load balancer checks on its node. */
  readonly healthyMs: number;
  /** Until the next batch may begin. */
  readonly passedMs: number;
  /** Until the last pod is gone; 0 for nodes without a pod to move. */
  readonly goneMs: number;
}

function passageOf(batch: Batch, { facts, delays }: LowerBoundInput): Passage {
  const { nodes, surged } = batch;
  const { cluster } = facts;
  const instances = new Set(nodes.map((node) => node.instanceId));
  const isTarget = facts.targetGroups.some((group) =>
    instanceTargets(group).some((target) => instances.has(target.instanceId)),
  );
  const leaving = podsLeaving(batch, cluster);
  const isFollowed = leaving.length > 0 && !isSurged(batch, cluster);
  const { deregistrationMs, propagationMs, deregistrationDelayMs } = delays;
  const connectionDrainMs = isTarget ? deregistrationMs + Math.max(propagationMs, deregistrationDelayMs) : 0;
  const rounds = isFollowed ? evictionRounds(nodes, cluster, surged) : 0;
  const healthyMs = isFollowed && isChecked(batch, { facts }) ? delays.healthyMs : 0;
  const passedMs = connectionDrainMs + rounds * delays.replacementReadyMs + healthyMs;
  const goneMs =
    leaving.length === 0
      ? 0
      : connectionDrainMs + Math.max(0, rounds - 1) * delays.replacementReadyMs + delays.evictionMs;
  return { connectionDrainMs, rounds, healthyMs, passedMs, goneMs };
}

/** Load balancers check for endpoints on these nodes. */
function isChecked({ nodes }: Batch, { facts }: Pick<LowerBoundInput, 'facts'>): boolean {
  return [...serviceStates(facts).values()].some(
    ({ reach, readyOn }) => reach !== 'node' && nodes.some((node) => (readyOn.get(node.name) ?? 0) > 0),
  );
}

/**
 * Until the replacements of a batch serve. Those of the first batch start as soon as new nodes are Ready, and become healthy while those nodes
 * are registered, or once they are where only nodes with pods are.
 */
function podSurgeMs(batch: Batch, isFirst: boolean, input: LowerBoundInput): number {
  if (!batch.followsPodSurge) return 0;
  const { replacementReadyMs, healthyMs, registrationMs, hostRegistrationMs } = input.delays;
  const hostsOnly = input.facts.targetGroups.some((group) => membershipOf(group) === 'hosts-only');
  const registeredMs = isFirst && hostsOnly ? hostRegistrationMs : 0;
  const neededMs = replacementReadyMs + (isChecked(batch, input) ? registeredMs + healthyMs : 0);
  return isFirst ? Math.max(0, neededMs - registrationMs) : neededMs;
}

function quickest(passages: readonly Passage[]): Passage {
  return passages.reduce((best, passage) => (passage.passedMs < best.passedMs ? passage : best));
}

/** What the last batch still has to do once its replacements are healthy. */
function closing(
  delays: LowerBoundDelays,
  { connectionDrainMs, passedMs, goneMs }: Passage,
  wave: string,
): readonly DurationTerm[] {
  const forwardedEndedAt =
    delays.forwardedMs === 0 || connectionDrainMs === 0
      ? 0
      : delays.deregistrationMs + delays.propagationMs + delays.forwardedMs;
  const waited = Math.max(passedMs, goneMs);
  return [
    { name: `${wave}last pods gone`, ms: Math.max(0, goneMs - passedMs) },
    { name: `${wave}last forwarded connections`, ms: Math.max(0, forwardedEndedAt - waited) },
    { name: `${wave}last termination`, ms: delays.terminationMs },
  ];
}
