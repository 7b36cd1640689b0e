import { reconcileCluster } from '../../simulator/kubernetes.ts';
import { addPod } from '../../simulator/pods.ts';
import { createSimPorts } from '../../simulator/ports.ts';
import { createWorld, type World } from '../../simulator/world.ts';
import type { ClusterSubject, NodeState } from '../cases/cluster-subject.ts';

const holder = 'holder';

/** An empty simulated cluster, in which everything happens at once that happens by itself. */
export function simulateCluster(): ClusterSubject {
  const world = createWorld({ seed: 1, reconcile: reconcileCluster });
  addNode(world, holder, {});
  const act = async <T>(deed: () => T): Promise<T> => {
    const done = deed();
    world.changed();
    return done;
  };
  return {
    one: createSimPorts(world).cluster,
    other: createSimPorts(world).cluster,
    others: {
      addNode: async (name, as = {}) => await act(() => addNode(world, name, as)),
      changeNode: async (name, to) => await act(() => changeNode(nodeOf(world, name), to)),
      removeNode: async (name) => {
        await act(() => (world.nodes = world.nodes.filter((node) => node.name !== name)));
      },
      addPod: async (name, labels) =>
        await act(() => {
          const bare = { uid: world.nextId(`uid-${name}`), ownerKind: 'none', ownerName: '', of: '' } as const;
          const { namespace, uid } = addPod(world, name, holder, { ...bare, labels: { ...labels } });
          return { namespace, name, uid };
        }),
      labelPod: async (name, labels) => {
        await act(() => {
          for (const pod of world.pods) if (pod.name === name) pod.labels = { ...pod.labels, ...labels };
        });
      },
      addBudget: async (name, minAvailable, app) => {
        await act(() => world.budgets.push({ name, selector: { app }, minAvailable }));
      },
      expireLock: async (name) => {
        await act(() => {
          const lease = world.leases.get(name);
          if (lease !== undefined) lease.expiresAt = world.clock.now() - 60_000;
        });
      },
    },
  };
}

/** Adds a Node that is Ready. */
export function addNode(world: World, name: string, as: Partial<NodeState>) {
  const [uid, instanceId, zone] = [world.nextId(`uid-${name}`), `i-${name}`, 'eu-west-1a'];
  const node = {
    name,
    uid,
    instanceId,
    zone,
    pool: 'web',
    kubeletVersion: 'v1.36.3',
    ready: true,
    cordoned: false,
    labels: {},
    annotations: {},
    taints: [],
  };
  world.nodes.push(node);
  changeNode(node, as);
  return { name, uid, instanceId, zone };
}

function changeNode(node: World['nodes'][number], { labels = {}, cordoned, taints }: Partial<NodeState>): void {
  for (const [key, value] of Object.entries(labels)) {
    if (value === null) delete node.labels[key];
    else node.labels[key] = value;
  }
  if (cordoned !== undefined) node.cordoned = cordoned;
  if (taints !== undefined) node.taints = taints.map((key) => ({ key, effect: 'NoSchedule' }));
}

function nodeOf(world: World, name: string) {
  const found = world.nodes.find((node) => node.name === name);
  if (found === undefined) throw new Error(`no node ${name}`);
  return found;
}
