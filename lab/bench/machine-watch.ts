import { createKubernetesCluster } from '../../adapters/kubernetes/cluster.ts';
import type { Lab } from '../lab.ts';

/** What a replacement costs in machines, and how long its new ones took. */
interface MachineUse {
  /** Machine time beyond what the pools have when nothing is replaced, minutes. */
  readonly instanceMinutes: number;
  /** Until as many nodes of the new pool were Ready as it got at first, s; undefined when it never had any. */
  readonly surgeReadySeconds: number | undefined;
}

/** A watch over machines; what it has seen stays known when it has been stopped. */
interface MachineWatch {
  seen(): MachineUse;
  stop(): void;
}

const everyMs = 250;

/** Watches the machines of the lab, and the nodes of the pool that is to come, from now on. */
export function watchMachines(lab: Lab, newPool: string): MachineWatch {
  const steady = countMachines(lab);
  const startedAt = Date.now();
  const cluster = createKubernetesCluster({ kubeconfig: lab.kubeconfigPath });
  let machineMs = 0;
  let lastAt = startedAt;
  let readyAt: number | undefined;
  const timer = setInterval(() => {
    const now = Date.now();
    machineMs += Math.max(0, countMachines(lab) - steady) * (now - lastAt);
    lastAt = now;
    // An API that can't be asked for a moment is asked again.
    if (readyAt === undefined) observation(now).catch(() => undefined);
  }, everyMs);

  async function observation(now: number): Promise<void> {
    const { nodes } = await cluster.observe();
    const fresh = nodes.filter((node) => node.pool === newPool && node.ready);
    const wanted = lab.aws.model.nodegroups.get(newPool)?.scaling.desired;
    if (wanted !== undefined && fresh.length >= wanted) readyAt ??= now;
  }

  return {
    seen: () => ({
      instanceMinutes: Math.round(machineMs / 6_000) / 10,
      surgeReadySeconds: readyAt === undefined ? undefined : (readyAt - startedAt) / 1000,
    }),
    stop: () => {
      clearInterval(timer);
      cluster.close();
    },
  };
}

/** Machines that are there or coming. */
function countMachines(lab: Lab): number {
  const machines = [...lab.aws.model.instances.values()];
  return machines.filter(({ state }) => state === 'pending' || state === 'running').length;
}
