/** All instances of the lab, switched on and off by the simulated cloud. */
import type { BootedInstance, InstanceHooks } from '../contracts.ts';
import { freeNodeNumber, instanceNamespace } from '../network-plan.ts';
import { type Machine, type NodeSurroundings, powerOn } from './node.ts';

/** The lab's instances. */
export interface Machines extends InstanceHooks {
  /** Instances that are switched on now, in order of boot. */
  list(): readonly Machine[];
  namespaces(): readonly string[];
  /** Kills all instances and waits until they are dead; what is left of them is removed with the lab. */
  killAll(): Promise<void>;
}

/** Called for what happens to instances. */
type MachineReport = (text: string) => void;

/** Creates the empty set of instances. Boots and terminations are handled one after the other, because each changes the routes of all. */
export function createMachines(surroundings: NodeSurroundings, report: MachineReport): Machines {
  const machines = new Map<string, Machine>();
  const terminated = new Set<string>();
  let closed = false;
  let queue = Promise.resolve();

  const enqueue = (what: string, work: () => Promise<void>): void => {
    queue = queue.then(work).catch((error: unknown) => {
      report(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    });
  };

  const boot = async (instance: BootedInstance): Promise<void> => {
    if (closed || terminated.has(instance.instanceId)) return;
    const others = [...machines.values()].map((machine) => machine.address);
    const number = freeNodeNumber(new Set(others.map((other) => other.number)));
    const machine = await powerOn(instance, number, others, surroundings);
    machines.set(instance.instanceId, machine);
    machine.started.then(
      () => report(`${instance.privateDnsName} (${instance.instanceId}, ${instance.zone}) started`),
      (error: unknown) => {
        if (machines.has(instance.instanceId)) report(`${instance.instanceId} does not start: ${String(error)}`);
      },
    );
  };

  const terminate = async (instanceId: string): Promise<void> => {
    const machine = machines.get(instanceId);
    if (machine === undefined) return;
    await machine.kill();
    machines.delete(instanceId);
    report(`${machine.instance.privateDnsName} (${instanceId}) is dead`);
    await machine.remove();
  };

  return {
    boot: (instance) => {
      // Google creates a VM that failed again under its name. Its boot queues behind the termination of the first.
      terminated.delete(instance.instanceId);
      enqueue(`boot of ${instance.instanceId}`, () => boot(instance));
    },
    terminate: (instanceId) => {
      terminated.add(instanceId);
      // A termination does not queue behind boots: the instance loses power now, the cleanup can wait.
      machines
        .get(instanceId)
        ?.kill()
        .catch((error: unknown) => report(`${instanceId} does not end: ${String(error)}`));
      enqueue(`termination of ${instanceId}`, () => terminate(instanceId));
    },
    list: () => [...machines.values()],
    namespaces: () => [...machines.keys()].map(instanceNamespace),
    killAll: async () => {
      closed = true;
      await queue;
      await Promise.all([...machines.values()].map((machine) => machine.kill()));
    },
  };
}
