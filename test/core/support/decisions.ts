import { decideEvictionRound } from '../../../core/eviction/eviction-round.ts';
import { decideEndpointRemoval } from '../../../core/eviction/leftover-endpoints.ts';
import { learnBaselines } from '../../../core/guard/baseline.ts';
import { layOutInSlices } from '../../../core/guard/lay-out.ts';
import { findRevocation } from '../../../core/guard/revocation.ts';
import { selectCandidate } from '../../../core/guard/select-candidate.ts';
import { findLostProtection } from '../../../core/guard/unprotected.ts';
import { buildPlan, buildPlanInSlices } from '../../../core/plan/build-plan.ts';
import { decideAdoption } from '../../../core/pod-surge/adoption.ts';
import { decideReleasedEviction } from '../../../core/pod-surge/evict-released.ts';
import { decidePodSurgeRound } from '../../../core/pod-surge/pod-surge-round.ts';
import { selectBatch } from '../../../core/pod-surge/select-batch.ts';
import { decideSwaps } from '../../../core/pod-surge/swap.ts';
import { leavingOf } from '../../../core/policy/members.ts';
import type { Slices } from '../../../core/slices.ts';
import { maxConnectionDrainMs, terminationNotBefore } from '../../../core/waits/formulas.ts';
import { decideConnectionsDrained, decideDeregistered, findReregistered } from '../../../core/waits/load-balancers.ts';
import { decideReplacementsServing, snapshotEndpoints } from '../../../core/waits/replacements.ts';
import { decideNodesRegistered } from '../../../core/waits/surge.ts';
import { aPolicy, aPool, withPodSurge } from './facts.ts';
import type { ServingFacts } from './model.ts';

/** Decides something from an observation. `pause` is called where a worker yields to its other steps. */
type Decision = (observation: ServingFacts, pause?: () => void) => unknown;

/** Everything that a worker decides from one observation, by name: the plan of pool `web`, and the steps of its first node. */
export function decisionsOn(facts: ServingFacts): Readonly<Record<string, Decision>> {
  const policy = aPolicy();
  const pool = aPool(facts.cluster.nodes);
  const { baselines, nodes } = buildPlan({ policy, run: 'run', pool, facts });
  const [node] = nodes;
  if (node === undefined) throw new Error('the pool has no node');
  const waiting = nodes.slice(0, 50);
  const surging = aPolicy(withPodSurge(0.25));
  const sharedVolumeClaims = new Set<string>();
  const round = { node, policy, run: 'run', now: 0, removedAt: {}, unreadySince: {}, drainedAt: {} };
  const before = snapshotEndpoints(node, facts);
  return {
    plan: (observation, pause) => pausing(buildPlanInSlices({ policy, run: 'run', pool, facts: observation }), pause),
    'plan with pod surge': (observation, pause) =>
      pausing(buildPlanInSlices({ policy: surging, run: 'run', pool, facts: observation }), pause),
    'pod surge': (observation) => [
      selectBatch({ cluster: observation.cluster, policy: surging, sharedVolumeClaims, waiting: nodes, maxNodes: 10 }),
      decidePodSurgeRound({
        facts: observation,
        policy: surging,
        sharedVolumeClaims,
        run: 'run',
        batch: waiting,
        evictedInstead: [],
        leaving: leavingOf(observation.cluster, surging, 'forward'),
        unplaced: {},
        aside: {},
        patient: true,
      }),
      decideAdoption(observation.cluster, 'run'),
    ],
    'roll back': (observation) => [
      decideAdoption(observation.cluster, 'run', { leaving: leavingOf(observation.cluster, surging, 'forward') }),
      decideSwaps({
        cluster: observation.cluster,
        policy: surging,
        sharedVolumeClaims,
        run: 'run',
        leaving: leavingOf(observation.cluster, surging, 'forward'),
      }),
      decideReleasedEviction({
        goneSince: {},
        facts: observation.cluster,
        policy: surging,
        run: 'run',
        now: 0,
        removedAt: {},
        unreadySince: {},
        drainedAt: {},
      }),
    ],
    exclude: (observation, pause = () => undefined) => {
      pausing(layOutInSlices(observation), pause);
      const learned = [
        learnBaselines(baselines, observation, policy),
        findLostProtection({ facts: observation, baselines, nodes: waiting, policy }),
      ];
      pause();
      const next = selectCandidate({ facts: observation, policy, baselines, inFlight: [], waiting, stableSince: {} });
      pause();
      return [...learned, next, snapshotEndpoints(node, observation)];
    },
    'on its way': (observation, pause) => [
      pausing(layOutInSlices(observation), pause),
      findRevocation({ node, facts: observation, policy, baselines }),
      findLostProtection({ facts: observation, baselines, nodes: [node], policy }),
      decideDeregistered(node, observation.targetGroups, { excludedForMs: 0, deadlineMs: 0 }),
      decideConnectionsDrained(node, observation.targetGroups, 0, 0),
      maxConnectionDrainMs(observation, policy),
    ],
    evict: (observation) => [
      decideEvictionRound({ ...round, facts: observation.cluster }),
      findReregistered(node, observation, policy),
    ],
    replaced: (observation) =>
      decideReplacementsServing({ facts: observation, policy, before, leaving: new Set(), aside: {}, patient: true }),
    removeLeftover: (observation) => [
      decideEndpointRemoval({ ...round, facts: observation.cluster }),
      terminationNotBefore(observation, 0, policy),
    ],
    surge: (observation) => decideNodesRegistered({ facts: observation, policy, expected: nodes.length }),
  };
}

function pausing<T>(work: Slices<T>, pause: () => void = () => undefined): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    pause();
  }
}

/** The same observation as a new object, so that nothing is cached for it. */
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
