import { decideEvictionRound } from '../../../core/drain/eviction-round.ts';
import { trackUnlisted } from '../../../core/drain/unlist.ts';
import { nextStepOut } from '../../../core/guard/next-step-out.ts';
import type { NodeRef } from '../../../core/model/node.ts';
import type { ServingFacts } from '../../../core/model/serving.ts';
import { buildPlan } from '../../../core/plan/build-plan.ts';
import type { PoolPlan } from '../../../core/plan/pool-plan.ts';
import type { Policy } from '../../../core/policy/policy.ts';
import { decideDrained, decideObservedOut } from '../../../core/waits/load-balancers.ts';
import {
  decideReplacementsServing,
  type EndpointSnapshot,
  snapshotEndpoints,
} from '../../../core/waits/replacements.ts';
import { aPolicy, aPool } from './facts.ts';
import { die, healthyPods, lookAt, pendingChanges, removeNode, surge, trulyServing, type World } from './world.ts';

/** A node on its way out and how far it is. */
interface Crossing {
  readonly node: NodeRef;
  step: 'excluded' | 'draining' | 'evicting' | 'replacing';
  readonly before: EndpointSnapshot;
  unlistedAt: Readonly<Record<string, number>>;
}

/** A run in a pretend cluster, driven by the product's own decisions. */
export interface PlayedRun {
  readonly world: World;
  readonly plan: PoolPlan;
  readonly guarded: boolean;
  readonly waiting: NodeRef[];
  readonly inFlight: Crossing[];
  readonly replaced: string[];
  readonly violations: string[];
  now: number;
}

/** Plans the run; `guarded: false` is the negative control. */
export function openRun(
  world: World,
  options: { readonly guarded: boolean; readonly policy?: Partial<Policy> },
): PlayedRun {
  const policy = aPolicy({ ...options.policy, disabledRules: options.guarded ? [] : ['capacity-guard'] });
  const facts = lookAt(world);
  const old = facts.cluster.nodes.filter((node) => node.pool === 'web');
  const plan = buildPlan({ policy, run: 'run', pool: aPool(old), facts });
  surge(world);
  return {
    world,
    plan,
    guarded: options.guarded,
    waiting: [...plan.nodes],
    inFlight: [],
    replaced: [],
    violations: [],
    now: 0,
  };
}

/** Lets the guard grant one node on the given facts and steps it out; answers whether one went. */
export function grant(run: PlayedRun, facts = lookAt(run.world)): boolean {
  const { node } = nextStepOut({
    facts,
    services: run.plan.services,
    inFlight: run.inFlight.map((crossing) => crossing.node),
    waiting: run.waiting,
    maxInFlight: run.plan.policy.guard.maxInFlight,
    enabled: run.guarded,
  });
  if (node === undefined) return false;
  run.waiting.splice(
    run.waiting.findIndex((other) => other.name === node.name),
    1,
  );
  const before = snapshotEndpoints(node, facts, run.plan.services);
  checked(run, `stepping out ${node.name}`, () => {
    const machine = run.world.nodes.find((other) => other.name === node.name);
    if (machine !== undefined) machine.excluded = true;
  });
  run.inFlight.push({ node, step: 'excluded', before, unlistedAt: {} });
  return true;
}

/** Takes one node one step further if its wait is over; answers whether anything was done. */
export function advance(run: PlayedRun, crossing: Crossing): boolean {
  const facts = lookAt(run.world);
  run.now += 60_000;
  switch (crossing.step) {
    case 'excluded':
      return move(crossing, decideObservedOut(crossing.node, facts.targetGroups).done, 'draining');
    case 'draining':
      return move(crossing, decideDrained(crossing.node, facts.targetGroups, run.now, 0).done, 'evicting');
    case 'evicting':
      return evict(run, crossing, facts);
    case 'replacing':
      return terminate(run, crossing, facts);
  }
}

/** Something happens to the cluster: one of its pending changes. Answers false when nothing is pending. */
export function happen(run: PlayedRun, pick: number): boolean {
  const changes = pendingChanges(run.world);
  const change = changes[pick % Math.max(1, changes.length)];
  change?.();
  return change !== undefined;
}

/** A machine dies by itself. */
export function kill(run: PlayedRun, pick: number): void {
  const victim = run.world.nodes[pick % Math.max(1, run.world.nodes.length)];
  if (victim !== undefined) die(run.world, victim.name);
}

/** Goes on fairly until nothing more happens. Throws when that takes longer than any sound run could. */
export function playOut(run: PlayedRun): void {
  let rounds = 0;
  for (let quiet = false; !quiet; ) {
    quiet = true;
    rounds += 1;
    if (rounds > 1000) throw new Error('the run goes round in circles');
    while (happen(run, 0)) quiet = false;
    if (grant(run)) quiet = false;
    for (const crossing of run.inFlight.slice()) if (advance(run, crossing)) quiet = false;
  }
}

function move(crossing: Crossing, done: boolean, step: Crossing['step']): boolean {
  if (done) crossing.step = step;
  return done;
}

function evict(run: PlayedRun, crossing: Crossing, facts: ServingFacts): boolean {
  const { node } = crossing;
  crossing.unlistedAt = trackUnlisted(crossing.unlistedAt, facts.cluster.pods, facts.cluster.services, run.now);
  const { policy } = run.plan;
  const question = { node, facts: facts.cluster, policy, run: 'run', now: run.now, unlistedAt: crossing.unlistedAt };
  const round = decideEvictionRound(question);
  for (const action of round.actions) {
    const pod = run.world.pods.find((other) => other.name === action.pod.name);
    if (pod === undefined) continue;
    checked(run, `${action.kind} ${pod.name}`, () => {
      if (action.kind === 'unlist') pod.unlisted = true;
      else pod.terminating = true;
    });
  }
  const timers = run.world.pods.some((pod) => pod.node === node.name && pod.unlisted && !pod.terminating);
  if (round.remaining > 0) return round.actions.length > 0 || timers;
  crossing.step = 'replacing';
  return true;
}

function terminate(run: PlayedRun, crossing: Crossing, facts: ServingFacts): boolean {
  const question = { facts, services: run.plan.services, before: crossing.before, oldPool: 'web' };
  if (!decideReplacementsServing(question).done) return false;
  checked(run, `terminating ${crossing.node.name}`, () => removeNode(run.world, crossing.node.name));
  run.inFlight.splice(run.inFlight.indexOf(crossing), 1);
  run.replaced.push(crossing.node.name);
  return true;
}

/** Does something of ours and records every figure that it takes below its floor. */
function checked(run: PlayedRun, what: string, act: () => void): void {
  const before = figures(run);
  act();
  for (const [name, { has, floor }] of figures(run)) {
    if (has < floor && has < (before.get(name)?.has ?? 0))
      run.violations.push(`${what}: ${name} falls to ${has}, floor ${floor}`);
  }
}

/** Every figure that has a floor: serving targets, by zone, endpoints that they reach, healthy pods of budgets. */
export function figures(run: PlayedRun): ReadonlyMap<string, { readonly has: number; readonly floor: number }> {
  const all = new Map<string, { has: number; floor: number }>();
  for (const deployment of run.world.deployments) {
    const { app, replicas, maxUnavailable, policy } = deployment;
    const floor = run.plan.services.find((plan) => plan.service === `default/${app}`)?.floor;
    const { zones, endpoints } = trulyServing(run.world, deployment);
    all.set(`${app} targets`, { has: zones.length, floor: floor?.targets ?? 0 });
    for (const [zone, least] of Object.entries(floor?.perZone ?? {})) {
      all.set(`${app} targets in ${zone}`, { has: zones.filter((other) => other === zone).length, floor: least });
    }
    if (maxUnavailable === undefined) continue;
    const demanded = replicas - maxUnavailable;
    if (policy === 'Local') all.set(`${app} reachable endpoints`, { has: endpoints, floor: demanded });
    all.set(`${app} healthy pods`, { has: healthyPods(run.world, app), floor: demanded });
  }
  return all;
}
