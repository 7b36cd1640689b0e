import type { NodeIdentity } from '../../contracts.ts';
import { randomHex } from '../random.ts';
import { notifyChange, type World } from '../world.ts';
import { takeAddress } from './network.ts';
import type { Instance, InstanceState } from './state.ts';

/** What to launch. */
interface LaunchSpecification {
  readonly subnetId: string;
  readonly instanceType: string;
  readonly imageId: string;
  readonly tags: ReadonlyMap<string, string>;
  readonly node: NodeIdentity | undefined;
}

/**
 * Launches an instance: `pending`, then `running` after the boot delay (EC2 user guide, "Instance lifecycle"). The private DNS name is derived from
 * the address (VPC user guide, "DNS attributes": `ip-10-0-1-11.REGION.compute.internal`).
 */
export function launchInstance(world: World, specification: LaunchSpecification, bootMs: number): Instance {
  const subnet = world.network.subnets.find((candidate) => candidate.id === specification.subnetId);
  if (subnet === undefined) throw new Error(`no subnet ${specification.subnetId}`);
  const privateIp = takeAddress(world, subnet);
  const neverJoins = world.faults.neverJoining > 0;
  if (neverJoins) world.faults.neverJoining -= 1;
  const instance: Instance = {
    id: `i-${randomHex(world.random, 17)}`,
    zone: subnet.zone,
    subnetId: subnet.id,
    instanceType: specification.instanceType,
    imageId: specification.imageId,
    privateIp,
    privateDnsName: `ip-${privateIp.replaceAll('.', '-')}.${world.region}.compute.internal`,
    launchedAt: world.clock.now(),
    tags: new Map(specification.tags),
    node: specification.node,
    neverJoins,
    state: 'pending',
  };
  world.instances.set(instance.id, instance);
  world.clock.after(bootMs, () => becomeRunning(world, instance));
  return instance;
}

function becomeRunning(world: World, instance: Instance): void {
  if (instance.state !== 'pending') return;
  setState(world, instance, 'running');
  if (instance.node !== undefined && !instance.neverJoins) {
    const { id: instanceId, zone, instanceType, privateIp, privateDnsName, node } = instance;
    world.hooks.boot({
      instanceId,
      providerId: `aws:///${zone}/${instanceId}`,
      zone,
      instanceType,
      privateIp,
      privateDnsName,
      ...node,
    });
  }
}

/**
 * Terminates an instance. It is dead at once, `terminated` after the delay, and disappears from the responses much later (EC2 user guide, "Terminate
 * your instance": visible for a short while, usually less than an hour). Idempotent.
 */
export function terminateInstance(world: World, instance: Instance): void {
  if (instance.state === 'shutting-down' || instance.state === 'terminated') return;
  setState(world, instance, 'shutting-down');
  if (instance.node !== undefined && !instance.neverJoins) world.hooks.terminate(instance.id);
  world.clock.after(world.delays.instanceTerminationMs, () => {
    setState(world, instance, 'terminated');
    world.clock.after(world.delays.terminatedVisibleMs, () => {
      world.instances.delete(instance.id);
      notifyChange(world);
    });
  });
}

function setState(world: World, instance: Instance, state: InstanceState): void {
  instance.state = state;
  for (const listener of world.instanceListeners) listener(instance);
  notifyChange(world);
}
