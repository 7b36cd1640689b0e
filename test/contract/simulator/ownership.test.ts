import { workloadNamed } from '../../simulator/disturbances.ts';
import { bind, reconcileCluster } from '../../simulator/kubernetes.ts';
import { createSimPorts } from '../../simulator/ports.ts';
import { deleteDeployment } from '../../simulator/replica-sets.ts';
import { plainBalancer } from '../../simulator/scenario.ts';
import { createWorld, type SimPod, type World } from '../../simulator/world.ts';
import { describeOwnership } from '../cases/ownership.ts';
import type { Deployments, OwnershipSubject } from '../cases/ownership-subject.ts';
import { addNode } from './subject.ts';

const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';

const simulated = simulateDeployments();

describeOwnership('the simulator', () => simulated);

/** A simulated cluster whose nodes are all cordoned, so that pods run where the cases say. */
function simulateDeployments(): OwnershipSubject {
  const world = createWorld({ seed: 1, reconcile: reconcileCluster });
  for (const name of ['old-1', 'old-2', 'new-1', 'new-2', 'new-3']) addNode(world, name, { cordoned: true });
  return { one: createSimPorts(world).cluster, deployments: simulatedDeployments(world) };
}

function simulatedDeployments(world: World): Deployments {
  const settle = async () => world.clock.advance(10_000);
  const start = async (name: string, nodes: readonly string[]) => {
    const waiting = world.pods.filter((pod) => pod.of === name && pod.node === undefined);
    waiting.forEach((pod, index) => {
      const node = world.nodes.find((one) => one.name === nodes[index % nodes.length]);
      if (node !== undefined) bind(world, pod, node);
    });
    await settle();
  };
  return {
    deploy: async (name, replicas, nodes) => {
      addDeployment(world, name, replicas);
      await settle();
      await start(name, nodes);
    },
    start,
    scale: async (name, replicas) => {
      workloadNamed(world, name).replicas = replicas;
      world.changed();
    },
    changeTemplate: async (name) => {
      workloadNamed(world, name).version += 1;
      world.changed();
    },
    // A paused Deployment replaces no pods; its ReplicaSet goes on as always, and of that alone the cases speak.
    pause: async () => undefined,
    remove: async (name) => deleteDeployment(world, name),
    setDeletionCost: async (pod, cost) => {
      const found = podOf(world, pod);
      found.annotations = { ...found.annotations, [deletionCost]: cost };
    },
    deletionCostOf: async (pod) => podOf(world, pod).annotations?.[deletionCost],
    annotate: async (pod, annotations) => {
      const found = podOf(world, pod);
      found.annotations = { ...found.annotations, ...annotations };
    },
    annotationsOf: async (pod) => podOf(world, pod).annotations ?? {},
    forbidNoOwner: async (name) => {
      world.denials.push({ workload: name, what: 'no-owner', says: 'pods need an owner' });
    },
    limitPods: async (name, toThoseThere) => {
      const workload = workloadNamed(world, name);
      if (toThoseThere) workload.quota = workload.replicas;
      else delete workload.quota;
    },
    passTime: settle,
  };
}

function addDeployment(world: World, name: string, replicas: number): void {
  const selector = { app: name };
  world.workloads.push({
    kind: 'Deployment',
    name,
    replicas,
    labels: selector,
    selector,
    tolerations: [],
    creating: 0,
    preStopSeconds: 0,
    version: 1,
  });
  world.services.push({
    key: `default/${name}`,
    type: 'ClusterIP',
    externalTrafficPolicy: 'Cluster',
    selector,
    healthCheckNodePort: 0,
    ratePerSecond: 0,
    ...plainBalancer,
    view: [],
    targets: [],
  });
  world.budgets.push({ name, selector, maxUnavailable: 0 });
  world.changed();
}

function podOf(world: World, name: string): SimPod {
  const found = world.pods.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no pod ${name}`);
  return found;
}
