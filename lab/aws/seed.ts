import type { BootedInstance } from '../contracts.ts';
import { cloudTaintEffect } from '../taint-effects.ts';
import { seedNodegroup } from './eks/nodegroups.ts';
import type { Nodegroup } from './eks/state.ts';
import { ACCOUNT_ID, type World } from './world.ts';

/** A node group that exists from the start. */
export interface NodegroupSeed {
  readonly name: string;
  /** Kubernetes version, `1.35` or `v1.35.9`. */
  readonly version: string;
  readonly instanceType: string;
  /** Number of nodes. */
  readonly size: number;
  /** Default 0. */
  readonly minSize?: number;
  /** Default twice the size. */
  readonly maxSize?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: BootedInstance['taints'];
  /** Default all zones. */
  readonly zones?: readonly string[];
}

/** Creates the node group, whose instances run at once. */
export function addSeed(world: World, seed: NodegroupSeed): Nodegroup {
  const [major = '', minor = '', patch] = seed.version.replace(/^v/, '').split('.');
  const version = `${major}.${minor}`;
  const release = world.cluster.releases[version] ?? `${version}.0-20260101`;
  const build = release.split('-')[1] ?? '20260101';
  return seedNodegroup(world, {
    name: seed.name,
    version,
    releaseVersion: patch === undefined ? release : `${version}.${patch}-${build}`,
    clientToken: `seed-${seed.name}`,
    request: {
      subnets: world.network.subnets.filter(({ zone }) => seed.zones?.includes(zone) ?? true).map(({ id }) => id),
      nodeRole: `arn:aws:iam::${ACCOUNT_ID}:role/eks-node`,
      instanceTypes: [seed.instanceType],
      amiType: 'AL2023_x86_64_STANDARD',
      capacityType: 'ON_DEMAND',
      diskSize: 20,
      launchTemplate: undefined,
    },
    tags: new Map(),
    labels: new Map(Object.entries(seed.labels ?? {})),
    taints: (seed.taints ?? []).map((taint) => ({ ...taint, effect: cloudTaintEffect(taint.effect) })),
    scaling: { min: seed.minSize ?? 0, max: seed.maxSize ?? Math.max(1, seed.size * 2), desired: seed.size },
    maxUnavailable: { count: 1 },
  });
}
