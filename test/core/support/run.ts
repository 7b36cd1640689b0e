import { trackRemoved } from '../../../core/eviction/endpoint-removal.ts';
import { decideEvictionRound } from '../../../core/eviction/eviction-round.ts';
import { decideRestore } from '../../../core/eviction/restore-pods.ts';
import { trackUnready } from '../../../core/eviction/unready.ts';
import { learnBaselines } from '../../../core/guard/baseline.ts';
import { findRevocation } from '../../../core/guard/revocation.ts';
import { type CandidateQuestion, selectCandidate } from '../../../core/guard/select-candidate.ts';
import { type RunScope, servicesOfRun } from '../../../core/guard/services-of-run.ts';
import { buildPlan } from '../../../core/plan/build-plan.ts';
import { leavingOf } from '../../../core/policy/members.ts';
import {
  decideConnectionsDrained,
  decideDeregistered,
  findReregistered,
  needsLabelAgain,
} from '../../../core/waits/load-balancers.ts';
import {
  decideReplacementsServing,
  type EndpointSnapshot,
  snapshotEndpoints,
} from '../../../core/waits/replacements.ts';
import { aPolicy, aPool } from './facts.ts';
import { include } from './happenings.ts';
import { judgeExclusion, judgeTermination, judgeTouch } from './judge.ts';
import type { NodeRef, Policy, ServingFacts } from './model.ts';
import { observeAt } from './observing.ts';
import type { NodeProgress, Play, PlayedRun, PlayRules } from './played-run.ts';
import { pendingChanges, removeNode, surge, type World, type WorldNode } from './world.ts';

const stabilizationMs = 500;
const tickMs = 1_000;

/** Plans one run for each pool, then brings up their new nodes. */
export function openPlay(world: World, rules: PlayRules = {}): Play {
  const play: Play = { world, runs: [], violations: [], rules, now: tickMs };
  const pools = [...new Set(world.nodes.map((node) => node.pool))];
  for (const pool of pools) play.runs.push(openRun(play, pool));
  for (const pool of pools) surge(world, pool);
  return play;
}

function openRun(play: Play, pool: string): PlayedRun {
  const base = aPolicy(play.rules.policy);
  const policy: Policy = {
    ...base,
    pool: { provider: 'eks', name: pool },
    target: { ...base.target, poolName: `new-${pool}` },
    waits: { ...base.waits, stabilizationMs },
  };
  const facts = narrow(observeAt(play.world, play.now), { policy, baselines: [] });
  const old = facts.cluster.nodes.filter((node) => node.pool === pool);
  const plan = buildPlan({ policy, run: `run-${pool}`, pool: aPool(old), facts });
  const progress = { stableSince: {}, inFlight: [], replaced: [] };
  return { play, name: plan.run, plan, baselines: plan.baselines, waiting: [...plan.nodes], ...progress };
}

/** One decision of the guard. Excludes the node that it selects, and returns whether there was one. */
export function grant(run: PlayedRun): boolean {
  const { policy } = run.plan;
  const fresh = observe(run);
  const facts = run.play.rules.actsOnStaleObservations === true ? (run.staleObservation ?? fresh) : fresh;
  run.staleObservation = fresh;
  run.baselines = learnBaselines(run.baselines, facts, policy);
  for (const node of run.waiting) instance(run, node.name, (one) => (one.cordoned = true));
  const inFlight = run.inFlight.map((progress) => progress.node);
  const question = {
    facts,
    policy,
    baselines: run.baselines,
    inFlight,
    waiting: run.waiting,
    stableSince: run.stableSince,
  };
  const node = ask(run, question);
  if (node === undefined) return false;
  run.waiting.splice(
    run.waiting.findIndex((other) => other.name === node.name),
    1,
  );
  run.play.violations.push(...judgeExclusion(run, node.name));
  instance(run, node.name, (one) => (one.excludedBy ??= run.name));
  const times = { labelledAt: run.play.now, revokedSince: undefined };
  run.inFlight.push({
    node,
    step: 'excluded',
    before: snapshotEndpoints(node, facts),
    removedAt: {},
    unreadySince: {},
    begun: false,
    ...times,
  });
  return true;
}

function ask(run: PlayedRun, question: CandidateQuestion): NodeRef | undefined {
  const { leaving } = run.play.rules;
  if (leaving !== undefined) return leaving(question, run.plan);
  const answer = selectCandidate(question);
  run.stableSince = answer.stableSince;
  return answer.node;
}

/** Takes one node one step further if its wait is over; answers whether anything was done. */
export function advance(run: PlayedRun, progress: NodeProgress): boolean {
  instance(run, progress.node.name, (one) => (one.cordoned = true));
  const facts = observe(run, progress.before);
  const { node } = progress;
  if (progress.step === 'replacing') return terminate(run, progress, facts);
  if (progress.step === 'evicting') return evict(run, progress, facts);
  if (keepExcluded(run, progress, facts)) return true;
  const decision =
    progress.step === 'excluded'
      ? decideDeregistered(node, facts.targetGroups, {
          excludedForMs: run.play.now - progress.labelledAt,
          deadlineMs: undefined,
        })
      : decideConnectionsDrained(node, facts.targetGroups, run.play.now, 0);
  if (!decision.done) return false;
  progress.step = progress.step === 'excluded' ? 'draining' : 'evicting';
  return true;
}

/** Sets a label again that somebody removed or that a controller missed, and restores a node that should not have been excluded. */
function keepExcluded(run: PlayedRun, progress: NodeProgress, facts: ServingFacts): boolean {
  const { node } = progress;
  const seen = run.play.world.nodes.find((one) => one.name === node.name);
  if (seen === undefined) return false;
  if (seen.excludedBy === undefined) {
    seen.excludedBy = run.name;
    progress.labelledAt = run.play.now;
    progress.step = 'excluded';
    return true;
  }
  if (restores(run, progress, facts)) return true;
  if (!needsLabelAgain(node, facts, run.play.now - progress.labelledAt, 10 * tickMs)) return false;
  include(seen);
  return true;
}

function restores(run: PlayedRun, progress: NodeProgress, facts: ServingFacts): boolean {
  const { policy } = run.plan;
  if (run.play.rules.neverRestores === true) return false;
  const lost = findRevocation({ node: progress.node, facts, policy, baselines: run.baselines });
  if (lost === undefined || progress.begun) {
    progress.revokedSince = undefined;
    return false;
  }
  progress.revokedSince ??= run.play.now;
  if (run.play.now - progress.revokedSince < stabilizationMs) return false;
  instance(run, progress.node.name, include);
  run.inFlight = run.inFlight.filter((other) => other !== progress);
  run.waiting.push(progress.node);
  return true;
}

function evict(run: PlayedRun, progress: NodeProgress, facts: ServingFacts): boolean {
  const { node } = progress;
  const { policy } = run.plan;
  const { world, now } = run.play;
  progress.removedAt = trackRemoved(progress.removedAt, facts.cluster.pods, facts.cluster, now);
  progress.unreadySince = trackUnready(progress.unreadySince, facts.cluster.pods, facts.cluster, now);
  const round = decideEvictionRound({
    node,
    facts: facts.cluster,
    policy,
    run: run.name,
    now,
    removedAt: progress.removedAt,
    unreadySince: progress.unreadySince,
    drainedAt: {},
  });
  if (round.remaining === 0) {
    progress.step = 'replacing';
    return true;
  }
  if (round.actions.length === 0) return false;
  if (isBackIn(run, node, facts)) {
    for (const { kind, pod } of decideRestore(node, facts.cluster.pods, run.name)) {
      if (kind === 'restore-endpoints') restoreEndpoints(world, pod.name);
    }
    progress.step = 'draining';
    return true;
  }
  if (!progress.begun && restores(run, progress, facts)) return true;
  if (progress.revokedSince !== undefined) return false;
  for (const action of round.actions) {
    const pod = world.pods.find((other) => other.name === action.pod.name);
    if (pod === undefined) continue;
    progress.begun = true;
    run.play.violations.push(...judgeTouch(run, node.name, action.kind, pod));
    if (action.kind === 'remove-endpoints') pod.endpointsRemovedBy = run.name;
    else pod.terminating = true;
  }
  return true;
}

function isBackIn(run: PlayedRun, node: NodeRef, facts: ServingFacts): boolean {
  return run.play.rules.neverChecksAgain !== true && findReregistered(node, facts, run.plan.policy) !== undefined;
}

function restoreEndpoints(world: World, name: string): void {
  const pod = world.pods.find((other) => other.name === name);
  if (pod !== undefined) pod.endpointsRemovedBy = undefined;
}

function terminate(run: PlayedRun, progress: NodeProgress, facts: ServingFacts): boolean {
  const { node, before } = progress;
  const { policy } = run.plan;
  if (
    !decideReplacementsServing({
      facts,
      policy,
      before,
      leaving: leavingOf(facts.cluster, policy, 'forward'),
      aside: {},
      patient: true,
    }).done
  )
    return false;
  if (isBackIn(run, node, facts)) {
    progress.step = 'draining';
    return true;
  }
  const round = decideEvictionRound({
    node,
    facts: facts.cluster,
    policy,
    run: run.name,
    now: run.play.now,
    removedAt: {},
    unreadySince: {},
    drainedAt: {},
  });
  if (round.remaining > 0) {
    progress.step = 'evicting';
    return true;
  }
  run.play.violations.push(...judgeTermination(run, node.name));
  removeNode(run.play.world, node.name);
  run.inFlight = run.inFlight.filter((other) => other !== progress);
  run.replaced.push(node.name);
  return true;
}

/** Something happens to the cluster by itself: one of its pending changes. Answers false when nothing is pending. */
export function happen(play: Play, pick: number): boolean {
  const changes = pendingChanges(play.world);
  const change = changes[pick % Math.max(1, changes.length)];
  change?.();
  return change !== undefined;
}

/** Goes on fairly until nothing more happens. Throws when that takes longer than any sound run could. */
export function playOut(play: Play): void {
  for (let round = 0, quietRounds = 0; quietRounds < 25; round += 1) {
    if (round > 4_000) throw new Error('the runs go round in circles');
    let quiet = true;
    while (happen(play, 0)) quiet = false;
    for (const run of play.runs) {
      if (grant(run)) quiet = false;
      for (const progress of run.inFlight.slice()) if (advance(run, progress)) quiet = false;
    }
    quietRounds = quiet ? quietRounds + 1 : 0;
  }
}

/** Lets the world settle while nodes in progress are only kept excluded, and none takes a further step. */
export function comeToRest(play: Play): void {
  for (let round = 0; round < 4; round += 1) {
    while (happen(play, 0));
    for (const run of play.runs) {
      for (const progress of run.inFlight.slice()) {
        if (progress.step === 'excluded' || progress.step === 'draining') keepExcluded(run, progress, observe(run));
      }
    }
  }
}

/** A fresh observation, some time after the last one, of what this run has to watch. */
export function observe(run: PlayedRun, before: EndpointSnapshot = {}): ServingFacts {
  run.play.now += tickMs;
  const { policy } = run.plan;
  return narrow(observeAt(run.play.world, run.play.now), { policy, baselines: run.baselines, before });
}

function narrow(facts: ServingFacts, scope: RunScope): ServingFacts {
  const watched = new Set(servicesOfRun(facts.cluster, scope).map(({ key }) => key));
  return { ...facts, targetGroups: facts.targetGroups.filter(({ service }) => watched.has(service)) };
}

function instance(run: PlayedRun, name: string, change: (node: WorldNode) => void): void {
  const found = run.play.world.nodes.find((node) => node.name === name);
  if (found !== undefined) change(found);
}
