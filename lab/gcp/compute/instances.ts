import { nextHost } from '../../next-host.ts';
import type { World } from '../world.ts';
import type { Instance } from './state.ts';

/** An address for a VM, of the zone's own /24. One that became free is given out again only when all others have been. */
export function takeAddress(world: World, zone: string): string {
  const prefix = `10.0.${world.zones.indexOf(zone) + 1}.`;
  const used = new Set([...world.instances.values()].map(({ ip }) => ip));
  const host = nextHost(world.lastHosts.get(zone), (one) => used.has(`${prefix}${one}`));
  if (host === undefined) throw new Error(`zone ${zone} has no free address`);
  world.lastHosts.set(zone, host);
  return `${prefix}${host}`;
}

/** The VM runs: it boots, and becomes a node. */
export function switchOn(world: World, instance: Instance): void {
  instance.status = 'RUNNING';
  const { name, zone, machineType, ip, node } = instance;
  world.hooks.boot({
    instanceId: name,
    providerId: `gce://${world.project}/${zone}/${name}`,
    zone,
    instanceType: machineType,
    privateIp: ip,
    privateDnsName: name,
    ...node,
  });
}

/**
 * The VM is being deleted, and dead at once. Google sends its operating system a signal first and stops it after a period that is documented as best
 * effort (Compute Engine documentation, "Instance life cycle"), so nobody may count on it.
 */
export function switchOff(world: World, instance: Instance): void {
  const ran = instance.status === 'RUNNING';
  instance.status = 'STOPPING';
  if (ran) world.hooks.terminate(instance.name);
}
