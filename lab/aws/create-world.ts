import type { DataPlane, InstanceHooks } from '../contracts.ts';
import { followInstances } from './autoscaling/groups.ts';
import { type Clock, realClock } from './clock.ts';
import { createNetwork } from './ec2/network.ts';
import { followAutoScaling } from './eks/nodegroups.ts';
import { countHealthCheck, followTermination, isChecked } from './elbv2/targets.ts';
import { driveDataPlane } from './elbv2/traffic.ts';
import { noFaults } from './faults.ts';
import { type AwsDelays, presets } from './presets.ts';
import { seededRandom } from './random.ts';
import { ACCOUNT_ID, type World } from './world.ts';

/** The initial state of a simulated AWS. */
export interface WorldOptions {
  readonly clusterName: string;
  /** Default `eu-west-1`. */
  readonly region?: string;
  /** Default the region's zones `a` and `b`. */
  readonly zones?: readonly string[];
  /** Kubernetes minor version of the control plane. Default `1.36`. */
  readonly clusterVersion?: string;
  /** Node image release by Kubernetes minor version; the part before the hyphen is what the kubelet reports. */
  readonly releases?: Readonly<Record<string, string>>;
  /** URL of the API server that DescribeCluster returns. */
  readonly clusterEndpoint?: string;
  /** Delays; those left out are as in the preset `fast`. */
  readonly delays?: Partial<AwsDelays>;
  readonly hooks?: InstanceHooks;
  readonly dataPlane?: DataPlane;
  readonly clock?: Clock;
  /** Seed of everything that appears random. */
  readonly seed?: number;
}

const defaultReleases = { '1.34': '1.34.8-20261010', '1.35': '1.35.9-20261010', '1.36': '1.36.3-20261107' };

const noHooks: InstanceHooks = { boot: () => {}, terminate: () => {} };

/** An empty cloud with a network, whose services react to each other's changes. */
export function createWorld(options: WorldOptions): World {
  const region = options.region ?? 'eu-west-1';
  const zones = options.zones ?? [`${region}a`, `${region}b`];
  const random = seededRandom(options.seed ?? 1);
  const clock = options.clock ?? realClock();
  const world: World = {
    region,
    zones,
    delays: { ...presets.fast, ...options.delays },
    clock,
    random,
    hooks: options.hooks ?? noHooks,
    dataPlane: options.dataPlane,
    faults: noFaults(),
    cluster: {
      name: options.clusterName,
      arn: `arn:aws:eks:${region}:${ACCOUNT_ID}:cluster/${options.clusterName}`,
      version: options.clusterVersion ?? '1.36',
      endpoint: options.clusterEndpoint ?? 'https://10.0.0.1:6443',
      createdAt: clock.now(),
      tags: new Map(),
      releases: options.releases ?? defaultReleases,
    },
    network: createNetwork(random, zones, options.clusterName),
    instances: new Map(),
    launchTemplates: new Map(),
    autoScalingGroups: new Map(),
    nodegroups: new Map(),
    loadBalancers: new Map(),
    targetGroups: new Map(),
    deregisteredAt: new Map(),
    instanceListeners: [],
    groupListeners: [],
    changeListeners: new Set(),
  };
  followInstances(world);
  followAutoScaling(world);
  followTermination(world);
  if (options.dataPlane !== undefined) {
    driveDataPlane(world, options.dataPlane, isChecked, (group, target, result) =>
      countHealthCheck(world, group, target, result),
    );
  }
  return world;
}
