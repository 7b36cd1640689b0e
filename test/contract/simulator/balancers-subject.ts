import { excludeLabel } from '../../simulator/membership.ts';
import { createSimPorts } from '../../simulator/ports.ts';
import { createScenario } from '../../simulator/scenario.ts';
import type { World } from '../../simulator/world.ts';
import type { BalancersSubject } from '../cases/balancers-subject.ts';

/** A settled world with Service `web`, whose load balancer stays in its zones. */
export async function openSimulatedBalancers(): Promise<BalancersSubject> {
  const world = createScenario();
  const service = serviceOf(world);
  service.crossZone = false;
  const { cluster, loadBalancers } = createSimPorts(world);
  const web = (await cluster.observe()).services.find(({ key }) => key === service.key);
  if (web === undefined) throw new Error('no Service web');
  const exclude = async (instanceId: string, is: boolean) => {
    const { labels } = nodeOf(world, instanceId);
    if (is) labels[excludeLabel] = 'true';
    else delete labels[excludeLabel];
    world.changed();
    world.clock.advance(world.delays.cloudController);
  };
  return {
    loadBalancers,
    web,
    nodes: world.instances.toSorted((a, b) => a.zone.localeCompare(b.zone)).map(({ instanceId }) => instanceId),
    cloud: {
      settle: () => world.clock.advance(10 * 60_000),
      deregister: async (instanceId) => await exclude(instanceId, true),
      register: async (instanceId) => await exclude(instanceId, false),
      failChecks: async (instanceId) => {
        for (const pod of world.pods) if (pod.node === nodeOf(world, instanceId).name) pod.failing = true;
        world.changed();
        world.clock.advance(60_000);
      },
      change: async () => {
        service.crossZone = true;
      },
      removeTags: async () => {
        service.balancer = 'unmanaged';
      },
      addPodTargets: async () => {
        service.balancer = 'pods-too';
      },
      deleteTargetGroup: async () => {
        service.balancer = 'empty';
      },
    },
    close: async () => undefined,
  };
}

function serviceOf(world: World) {
  const service = world.services.find(({ key }) => key === 'default/web');
  if (service === undefined) throw new Error('no Service web');
  return service;
}

function nodeOf(world: World, instanceId: string) {
  const node = world.nodes.find((one) => one.instanceId === instanceId);
  if (node === undefined) throw new Error(`no node of ${instanceId}`);
  return node;
}
