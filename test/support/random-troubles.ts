/** What ordinary clusters are like, and what befalls them while their nodes are replaced; drawn from a seed. */
import { cover, restoreLabels, rollOut, serviceNamed, uncover, workloadNamed } from '../simulator/disturbances.ts';
import { markAsInstance, prune } from '../simulator/pruner.ts';
import { addFailedPod, orphanDeployment, pauseDeployment, resumeDeployment } from '../simulator/replica-sets.ts';
import { servingTargets, servingZones } from '../simulator/traffic.ts';
import { createWorld, later, type SimService, type World } from '../simulator/world.ts';

/** A number from 0 up to 1. */
export type Random = () => number;

/** A whole number from 0 up to that bound, which it never is. */
export const below = (random: Random, bound: number) => Math.floor(random() * bound);

/** Any of them; undefined of none. */
export const oneOf = <T>(random: Random, list: readonly T[]): T | undefined => list[below(random, list.length)];

/**
 * A trouble of ordinary clusters. None of them costs a request: what a cluster can't have without losing some is left out. That is a pruner
 * which heeds no annotation (it deletes what serves; see pod-surge-pruner.test.ts), and a rollout of `web` that is paused half-way, as
 * rollouts under policy Local lose requests wherever load balancers send to the node.
 */
export interface Trouble {
  readonly what: string;
  /** Makes a settled cluster one that has it, before anybody upgrades. */
  readonly prepare?: (world: World, random: Random) => void;
  /** Brings it about during the run. */
  readonly strike?: (world: World, random: Random) => void;
  /** Whether it can be brought about already; it always can unless this says otherwise. */
  readonly isDue?: (world: World) => boolean;
  /** It befalls an attempt at a step, which lives on beside its successor. */
  readonly cutsOff?: true;
  /** How a call for an operator names it, and what its owners do once they have read that. */
  readonly wayOut?: { readonly named: RegExp; readonly take: (world: World) => void };
}

const denial = 'admission webhook "validate.kyverno.svc-fail" denied the request: bare pods are not allowed';

const takeAdmissionAway = (world: World) => {
  world.denials = [];
};

const fixTargets = (world: World) => {
  for (const service of world.services) delete service.broken;
};

const troubles: readonly Trouble[] = [
  {
    what: 'a pod that has failed lies about',
    strike: (world, random) => {
      const node = oneOf(random, world.nodes);
      if (node !== undefined) addFailedPod(world, anyName(random), node.name);
    },
  },
  {
    what: 'a Deployment is paused',
    strike: (world, random) => pauseDeployment(world, anyName(random)),
    wayOut: { named: /paused/, take: resumeAll },
  },
  {
    what: 'a Deployment is paused in the middle of a rollout',
    strike: (world) => {
      rollOut(world, 'api');
      later(world, 10_000, () => pauseDeployment(world, 'api'));
    },
    wayOut: { named: /paused/, take: resumeAll },
  },
  {
    what: 'a Deployment is away while its ReplicaSet stays',
    strike: (world, random) => orphanDeployment(world, anyName(random), oneOf(random, [3_000, 90_000]) ?? 0),
  },
  {
    what: 'a quota has little room',
    prepare: (world, random) => {
      const workload = workloadNamed(world, anyName(random));
      workload.quota = workload.replicas + below(random, 3);
      if (random() < 0.5) workload.quotaTold = true;
    },
    wayOut: {
      named: /quota/,
      take: (world) => {
        for (const workload of world.workloads) delete workload.quota;
      },
    },
  },
  {
    what: 'a load balancer does not cover a zone',
    prepare: (world, random) => {
      const service = anyService(world, random);
      const [, ...more] = servingZones(world, service);
      const zone = oneOf(random, more);
      if (zone !== undefined) uncover(service, zone, world);
    },
    // A rollout may bring all pods there, where the scheduler does not spread: that is fixed where it was set up.
    wayOut: {
      named: /0 serving targets/,
      take: (world) => {
        for (const service of world.services) cover(service, world);
      },
    },
  },
  {
    what: 'the target of an old node never passes',
    prepare: (world, random) => {
      const service = anyService(world, random);
      if (servingTargets(world, service) > 1) service.broken = [oneOf(random, world.nodes)?.name ?? ''];
    },
    wayOut: { named: /health check|healthy/, take: fixTargets },
  },
  {
    what: 'the target of a new node never passes',
    isDue: (world) => newNodes(world).length > 0,
    strike: (world, random) => {
      anyService(world, random).broken = [oneOf(random, newNodes(world))?.name ?? ''];
    },
    wayOut: { named: /health check|healthy/, take: fixTargets },
  },
  {
    what: 'somebody gives a pod its labels back',
    isDue: (world) => podsWithoutLabels(world).length > 0,
    strike: (world, random) => {
      const pod = oneOf(random, podsWithoutLabels(world));
      if (pod !== undefined) restoreLabels(world, pod);
    },
  },
  { what: 'attempts live on', cutsOff: true },
  {
    what: 'a pruner is at work',
    prepare: (world) => {
      markAsInstance(world, 'shop');
      prune(world, { obeys: true });
    },
  },
  {
    what: 'admission denies, and says so when asked',
    prepare: (world, random) => deny(world, random, {}),
    wayOut: { named: /denied/, take: takeAdmissionAway },
  },
  {
    what: 'admission denies, and no dry run shows it',
    prepare: (world, random) => deny(world, random, { hidden: true }),
    wayOut: { named: /denied/, take: takeAdmissionAway },
  },
  {
    what: 'admission comes to deny',
    strike: (world, random) => deny(world, random, {}),
    wayOut: { named: /denied/, take: takeAdmissionAway },
  },
];

/** One or two troubles on three of four seeds, and what they draw from; other draws of the same seed stay as they are. */
export function drawTroubles(seed: number): { readonly troubles: readonly Trouble[]; readonly random: Random } {
  const dice = createWorld({ seed: seed * 7919, reconcile: () => undefined });
  const random = () => dice.random();
  const drawn = Array.from({ length: seed % 4 === 3 ? 0 : 1 + below(random, 2) }, () => oneOf(random, troubles));
  return { troubles: [...new Set(drawn)].flatMap((one) => one ?? []), random };
}

function deny(world: World, random: Random, hidden: { readonly hidden?: true }): void {
  const what = random() < 0.5 ? 'release' : 'no-owner';
  world.denials.push({ workload: anyName(random), what, says: denial, ...hidden });
}

function newNodes({ nodes }: World): World['nodes'] {
  return nodes.filter(({ pool }) => pool === 'web-new');
}

/** Those that a run has taken labels from, to release them or to remove them from endpoints. */
function podsWithoutLabels({ pods }: World): World['pods'] {
  return pods.filter(
    ({ released, endpointsRemoved, terminating }) => !terminating && (released ?? endpointsRemoved) !== undefined,
  );
}

function resumeAll(world: World): void {
  for (const { name, paused } of world.workloads) if (paused === true) resumeDeployment(world, name);
  world.changed();
}

function anyName(random: Random): 'web' | 'api' {
  return random() < 0.5 ? 'web' : 'api';
}

function anyService(world: World, random: Random): SimService {
  return serviceNamed(world, anyName(random));
}
