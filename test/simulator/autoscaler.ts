import { scaleTo } from './disturbances.ts';
import { later, matches, type SimPod, type World } from './world.ts';

/** A HorizontalPodAutoscaler on the processor utilization of a workload's pods. */
interface Autoscaler {
  readonly workload: string;
  /** Target utilization, as a share of what the pods request. */
  readonly target: number;
  /** Processor time that all callers together need. */
  readonly load: number;
  /** Processor time of each pod even without any caller. */
  readonly idle: number;
  readonly least: number;
  /** It uses an external metric of target type Value instead, with this ratio, which no number of pods changes. */
  readonly value?: number;
}

const syncMs = 15_000;
const stabilizationMs = 300_000;
const tolerance = 0.1;

/**
 * Scales a workload as Kubernetes does (1.36, pkg/controller/podautoscaler). It selects the workload's pods without their template's hash, so pods
 * that a run has released count. Pods that are not ready count as idle before scaling up, and not at all before scaling down. It scales down to the
 * highest number that was wanted in the last five minutes.
 */
export function autoscale(world: World, autoscaler: Autoscaler): void {
  if (autoscaler.value !== undefined) world.autoscalers.push(autoscaler.workload);
  const wanted: { readonly at: number; readonly replicas: number }[] = [];
  const sync = () => {
    const workload = world.workloads.find(({ name }) => name === autoscaler.workload);
    if (workload === undefined) return;
    const now = world.clock.now();
    const pods = world.pods.filter((pod) => !pod.terminating && matches(workload.selector, pod.labels));
    wanted.push({ at: now, replicas: recommend(pods, workload.replicas, autoscaler) });
    const recent = wanted.filter(({ at }) => now - at <= stabilizationMs).map(({ replicas }) => replicas);
    const replicas = Math.max(autoscaler.least, ...recent);
    if (replicas !== workload.replicas) scaleTo(world, autoscaler.workload, replicas);
    later(world, syncMs, sync);
  };
  sync();
}

function recommend(pods: readonly SimPod[], replicas: number, { target, load, idle, value }: Autoscaler): number {
  const ready = pods.filter((pod) => pod.ready);
  if (ready.length === 0) return replicas;
  if (value !== undefined) return Math.abs(1 - value) <= tolerance ? replicas : Math.ceil(value * ready.length);
  const use = idle + load / ready.length;
  const ratio = use / target;
  if (Math.abs(1 - ratio) <= tolerance) return replicas;
  if (pods.length === ready.length || ratio < 1) return Math.ceil(ratio * ready.length);
  const spread = (use * ready.length) / pods.length / target;
  return Math.abs(1 - spread) <= tolerance || spread < 1 ? replicas : Math.ceil(spread * pods.length);
}
