import type { Lab } from '../lab/lab.ts';
import { openCluster } from '../wiring/cluster.ts';

/** What a replacement costs in instances, and how long its new ones took. */
interface MachineUse {
  /** Instance time beyond what the pools have when nothing is replaced, minutes. */
  readonly instanceMinutes: number;
  /** Time until as many nodes of the new pool were Ready as it got at first, s; undefined when it never had any. */
  readonly nodesReadySeconds: number | undefined;
}

/** A watch over instances; its observations stay available after it has been stopped. */
interface MachineWatch {
  seen(): MachineUse;
  stop(): void;
}

const everyMs = 250;

/** Watches the instances of the lab, and the nodes of the new pool, from now on. */
export function watchMachines(lab: Lab, newPool: string): MachineWatch {
  const steady = countMachines(lab);
  const startedAt = Date.now();
  const cluster = openCluster({ kubeconfig: lab.kubeconfigPath });
  let machineMs = 0;
  let lastAt = startedAt;
  let readyAt: number | undefined;
  const timer = setInterval(() => {
    const now = Date.now();
    machineMs += Math.max(0, countMachines(lab) - steady) * (now - lastAt);
    lastAt = now;
    // An API that does not answer for a moment is asked again.
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
      nodesReadySeconds: readyAt === undefined ? undefined : (readyAt - startedAt) / 1000,
    }),
    stop: () => {
      clearInterval(timer);
      cluster.close();
    },
  };
}

/** Instances that exist or are being launched. */
function countMachines(lab: Lab): number {
  const machines = [...lab.aws.model.instances.values()];
  return machines.filter(({ state }) => state === 'pending' || state === 'running').length;
}
