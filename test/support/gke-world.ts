/** A simulated world whose node pools are those of the simulated Google, behind the adapter as it runs in production. */
import '../contract/gke/tls-roots.ts';
import { randomUUID } from 'node:crypto';
import { createGkeNodePools } from '../../adapters/gke/node-pools.ts';
import type { Clock as CloudClock } from '../../lab/aws/clock.ts';
import { certificate, key } from '../../lab/certificates.ts';
import type { BootedInstance, InstanceHooks } from '../../lab/contracts.ts';
import { deleteInstance } from '../../lab/gcp/compute/groups.ts';
import { type SimulatedGcp, type SimulatedGcpOptions, startSimulatedGcp } from '../../lab/gcp/server.ts';
import type { ManagedNodePools } from '../../ports/node-pools.ts';
import { forgetNode, terminate } from '../simulator/pools.ts';
import { later, type SimInstance, type World } from '../simulator/world.ts';
import { type MortalWorker, mortalWorker } from './mortal-worker.ts';

/** The zones of the world and of the cloud. */
export const gkeZones = ['europe-west1-b', 'europe-west1-c'] as const;

/** Google behind a world. */
export interface GkeCloud {
  readonly gcp: SimulatedGcp;
  readonly cluster: string;
  readonly worker: MortalWorker;
}

/** Google's client takes a second to start, and its server half a second: what follows shares them. */
let shared: SimulatedGcp | undefined;

/** The versions of pools of the world: that of `web`, and that of every other. */
const versions = { web: '1.35.9-gke.2000', other: '1.36.3-gke.1000' } as const;

/** Has Google run the VMs of the pools of this world, whose zones are `gkeZones`, in a cluster of its own. */
export async function moveToGke(world: World, release: { readonly channel?: 'REGULAR' } = {}): Promise<GkeCloud> {
  const cluster = `c${randomUUID().slice(0, 8)}`;
  const seeded: BootedInstance[] = [];
  let isSeeded = false;
  const hooks: InstanceHooks = {
    boot: (vm) => void (isSeeded ? join(world, vm) : seeded.push(vm)),
    terminate: (name) => {
      const instance = world.instances.find(({ instanceId }) => instanceId === name);
      if (instance !== undefined) terminate(world, instance);
    },
  };
  const gcp = await openGoogle({
    clusters: [
      {
        name: cluster,
        ...release,
        pools: world.pools.map(({ name }) => ({
          name,
          version: name === 'web' ? versions.web : versions.other,
          initialNodeCount: world.instances.filter(({ pool }) => pool === name).length / gkeZones.length,
          autoscaling: { enabled: true, minNodeCount: 1, maxNodeCount: 4 },
          management: { autoUpgrade: true, autoRepair: true },
          config: { machineType: 'e2-medium' },
        })),
      },
    ],
    zones: gkeZones,
    clock: clockOf(world),
    hooks,
    delays: {
      instanceBootMs: world.delays.boot,
      instanceTerminationMs: world.delays.instanceGone,
      poolCreateTimeoutMs: 35 * 60_000,
    },
  });
  isSeeded = true;
  for (const { name } of world.pools) {
    for (const zone of gkeZones) {
      const own = world.instances.filter((instance) => instance.zone === zone && instance.pool === name);
      seeded
        .filter((vm) => vm.zone === zone && vm.nodegroup === name)
        .forEach((vm, index) => rename(world, own[index], vm.instanceId));
    }
  }
  world.pools = [];
  const worker = mortalWorker(world, gcp, (clock) => createPools(gcp, clock));
  world.gkePools = worker.pools;
  return { gcp, cluster, worker };
}

/** The VM of this node is preempted, or found broken: its group creates it again under the same name. What it served has broken with it. */
export function recreateVm(world: World, { gcp }: GkeCloud, name: string): void {
  const vm = [...gcp.model.instances.values()].find((one) => one.name === name);
  const instance = world.instances.find(({ instanceId }) => instanceId === name);
  if (vm === undefined || instance === undefined) throw new Error(`no VM ${name}`);
  instance.alive = false;
  deleteInstance(gcp.model, vm);
}

async function openGoogle(options: SimulatedGcpOptions): Promise<SimulatedGcp> {
  if (shared !== undefined) {
    shared.reset(options);
    return shared;
  }
  shared = await startSimulatedGcp({ ...options, tls: { certificate, key } });
  process.env['GCE_METADATA_HOST'] = shared.metadataHost;
  process.env['METADATA_SERVER_DETECTION'] = 'assume-present';
  return shared;
}

function createPools(
  gcp: SimulatedGcp,
  clock: World['clock'] | Pick<World['clock'], 'now' | 'sleep'>,
): ManagedNodePools {
  const gkeEndpoint = { host: 'localhost', port: gcp.gkePort };
  return createGkeNodePools({ clock, project: 'lab-project', gkeEndpoint, computeUrl: `${gcp.computeUrl}/` });
}

/** The time of the cloud is that of the world. */
function clockOf(world: World): CloudClock {
  return {
    now: () => world.clock.now(),
    after: (ms, action) => {
      let isWanted = true;
      later(world, ms, () => {
        if (isWanted) action();
      });
      return () => {
        isWanted = false;
      };
    },
  };
}

/** The instance has the name of a VM from now on, and its node too, wherever they are mentioned. */
function rename(world: World, instance: SimInstance | undefined, name: string): void {
  if (instance === undefined) throw new Error(`the world has no instance for ${name}`);
  const before = instance.instanceId;
  const mentions = [...world.instances, ...world.nodes, ...world.services.flatMap(({ targets }) => targets)];
  for (const one of mentions) if (one.instanceId === before) one.instanceId = name;
  const node = world.nodes.find(({ instanceId }) => instanceId === name);
  const onNode = [...world.pods, ...world.services.flatMap(({ view }) => view)].filter(
    (one) => one.node === node?.name,
  );
  for (const one of onNode) one.node = name;
  if (node !== undefined) node.name = name;
  for (const [sent, at] of world.lastForwarded) {
    if (sent.endsWith(` ${before}`)) world.lastForwarded.set(sent.replace(` ${before}`, ` ${name}`), at);
  }
}

/**
 * A VM that runs becomes a node. One that its group has created again has the name of the one before: another VM, and another Node, whose pods are not
 * those of the old one. Google deletes these with the old Node (cloud-provider-gcp, node_csr_approver.go, ensureNodeMatchesMetadataOrDelete).
 */
function join(world: World, { instanceId, zone, nodegroup, kubernetesVersion, labels }: BootedInstance): void {
  const before = world.nodes.find(({ name }) => name === instanceId);
  if (before !== undefined) forgetNode(world, before.uid);
  world.instances = world.instances.filter((one) => one.instanceId !== instanceId);
  world.terminations.delete(instanceId);
  const instance: SimInstance = { instanceId, zone, state: 'running', pool: nodegroup, alive: true };
  world.instances.push(instance);
  const node = {
    name: instanceId,
    uid: world.nextId(`uid-${instanceId}`),
    instanceId,
    zone,
    pool: nodegroup,
    kubeletVersion: kubernetesVersion,
    ready: false,
    cordoned: false,
    labels: { ...labels, 'topology.kubernetes.io/zone': zone },
    annotations: {},
    taints: [],
  };
  world.nodes.push(node);
  later(world, world.delays.nodeReady, () => {
    node.ready = instance.alive;
  });
}
