import { decideEvictionRound } from '../../../core/drain/eviction-round.ts';
import { decideRetirement } from '../../../core/drain/retirement.ts';
import { learnBaselines } from '../../../core/guard/baseline.ts';
import { findLostGrant } from '../../../core/guard/grant-holds.ts';
import { layOutInSlices } from '../../../core/guard/lay-out.ts';
import { nextStepOut } from '../../../core/guard/next-step-out.ts';
import { findLostProtection } from '../../../core/guard/unprotected.ts';
import { chooseWave } from '../../../core/hand-over/choose-wave.ts';
import { decideReleasedEviction } from '../../../core/hand-over/evict-released.ts';
import { decideExchanges } from '../../../core/hand-over/exchange.ts';
import { decideGiveBack } from '../../../core/hand-over/give-back.ts';
import { decideHandOverRound } from '../../../core/hand-over/hand-over-round.ts';
import type { ServingFacts } from '../../../core/model/serving.ts';
import { buildPlan, buildPlanInSlices } from '../../../core/plan/build-plan.ts';
import type { Slices } from '../../../core/slices.ts';
import { longestDrainMs, terminationNotBefore } from '../../../core/waits/formulas.ts';
import { decideDrained, decideObservedOut, findBackIn } from '../../../core/waits/load-balancers.ts';
import { decideReplacementsServing, snapshotEndpoints } from '../../../core/waits/replacements.ts';
import { decideSurgeReady } from '../../../core/waits/surge.ts';
import { aPolicy, aPool, handingOver } from './facts.ts';

/** Decides something from a look; `pause` is called where a worker lets its other steps have their turn. */
export type Decision = (look: ServingFacts, pause?: () => void) => unknown;

/** Everything that a worker decides from one look, by what it decides about: the plan of pool `web`, and the steps of its first node. */
export function decisionsOn(facts: ServingFacts): Readonly<Record<string, Decision>> {
  const policy = aPolicy();
  const pool = aPool(facts.cluster.nodes);
  const { baselines, nodes } = buildPlan({ policy, run: 'run', pool, facts });
  const [node] = nodes;
  if (node === undefined) throw new Error('the pool has no node');
  const waiting = nodes.slice(0, 50);
  const handing = aPolicy(handingOver(0.25));
  const sharedClaims = new Set<string>();
  const round = { node, policy, run: 'run', now: 0, unlistedAt: {}, unreadySince: {} };
  const before = snapshotEndpoints(node, facts);
  return {
    plan: (look, pause) => pausing(buildPlanInSlices({ policy, run: 'run', pool, facts: look }), pause),
    'plan that hands over': (look, pause) =>
      pausing(buildPlanInSlices({ policy: handing, run: 'run', pool, facts: look }), pause),
    'hand over': (look) => [
      chooseWave({ cluster: look.cluster, policy: handing, sharedClaims, waiting: nodes, mostNodes: 10 }),
      decideHandOverRound({
        facts: look,
        policy: handing,
        sharedClaims,
        run: 'run',
        wave: waiting,
        givenUp: [],
        leaving: pool.ref.name,
        unplaced: {},
        aside: {},
        patient: true,
      }),
      decideGiveBack(look.cluster, 'run'),
    ],
    'turn back': (look) => [
      decideGiveBack(look.cluster, 'run', pool.ref.name),
      decideExchanges({ cluster: look.cluster, policy: handing, sharedClaims, run: 'run', leaving: pool.ref.name }),
      decideReleasedEviction({
        goneSince: {},
        facts: look.cluster,
        policy: handing,
        run: 'run',
        now: 0,
        unlistedAt: {},
        unreadySince: {},
      }),
    ],
    'step out': (look, pause = () => undefined) => {
      pausing(layOutInSlices(look), pause);
      const learned = [
        learnBaselines(baselines, look, policy),
        findLostProtection({ facts: look, baselines, nodes: waiting, policy }),
      ];
      pause();
      const next = nextStepOut({ facts: look, policy, baselines, inFlight: [], waiting, agreed: {} });
      pause();
      return [...learned, next, snapshotEndpoints(node, look)];
    },
    'on its way': (look, pause) => [
      pausing(layOutInSlices(look), pause),
      findLostGrant({ node, facts: look, policy, baselines }),
      findLostProtection({ facts: look, baselines, nodes: [node], policy }),
      decideObservedOut(node, look.targetGroups),
      decideDrained(node, look.targetGroups, 0, 0),
      longestDrainMs(look, policy),
    ],
    evict: (look) => [decideEvictionRound({ ...round, facts: look.cluster }), findBackIn(node, look, policy)],
    replaced: (look) =>
      decideReplacementsServing({ facts: look, policy, before, leaving: 'other', aside: {}, patient: true }),
    retire: (look) => [decideRetirement({ ...round, facts: look.cluster }), terminationNotBefore(look, 0, policy)],
    surge: (look) => decideSurgeReady({ facts: look, pool: 'web', oldPool: 'before', expected: nodes.length }),
  };
}

function pausing<T>(work: Slices<T>, pause: () => void = () => undefined): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    pause();
  }
}

/** The same look as if it were a new one: nothing is known of it from before. */
export function renew(facts: ServingFacts): ServingFacts {
  const { cluster } = facts;
  return {
    ...facts,
    cluster: {
      ...cluster,
      nodes: cluster.nodes.slice(),
      pods: cluster.pods.slice(),
      services: cluster.services.map((service) => ({ ...service })),
      budgets: cluster.budgets.map((budget) => ({ ...budget })),
      workloads: cluster.workloads.slice(),
    },
    targetGroups: facts.targetGroups.map((group) => ({ ...group, targets: group.targets.slice() })),
  };
}
