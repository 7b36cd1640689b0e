import type { V1Container, V1LifecycleHandler, V1PodSpec } from '@kubernetes/client-node';

import type { LifecycleFacts, PreStopFacts } from '../../core/model/lifecycle.ts';
import type { PodFacts } from '../../core/model/pod.ts';

/** Defaults of a probe (Kubernetes API, Probe). */
const probeDefaults = { periodSeconds: 10, failureThreshold: 3 } as const;

/** The containers that may serve: those that declare ports, or all when none does. */
export function servingContainers(containers: readonly V1Container[]): readonly V1Container[] {
  const withPorts = containers.filter(({ ports }) => (ports ?? []).length > 0);
  return withPorts.length > 0 ? withPorts : containers;
}

/** How a pod begins and ends; nothing for a pod without containers. */
export function lifecycleOf(spec: V1PodSpec | undefined): Pick<PodFacts, 'lifecycle'> {
  const all = spec?.containers ?? [];
  const serving = servingContainers(all);
  if (serving.length === 0) return {};
  const gates = (spec?.readinessGates ?? []).map(({ conditionType }) => conditionType);
  return {
    lifecycle: {
      containers: serving.map(({ name }) => name),
      ...preStopsOf(all),
      ...readinessOf(all),
      ...livenessOf(serving),
      ...(gates.length === 0 ? {} : { readinessGates: gates }),
    },
  };
}

function preStopsOf(containers: readonly V1Container[]): Pick<LifecycleFacts, 'preStops'> {
  const hooks = containers.flatMap(({ name, lifecycle }) => {
    const hook = preStopOf(lifecycle?.preStop);
    return hook === undefined ? [] : [[name, hook] as const];
  });
  return hooks.length === 0 ? {} : { preStops: Object.fromEntries(hooks) };
}

function preStopOf({ exec, httpGet, tcpSocket, sleep }: V1LifecycleHandler = {}): PreStopFacts | undefined {
  if (exec !== undefined) return { handler: 'exec', command: (exec.command ?? []).join(' ') };
  if (sleep !== undefined) return { handler: 'sleep', seconds: sleep.seconds };
  if (httpGet !== undefined) return { handler: 'httpGet' };
  return tcpSocket === undefined ? undefined : { handler: 'tcpSocket' };
}

/** A pod is Ready only while all of its probes succeed, so the one that fails first decides. */
function readinessOf(containers: readonly V1Container[]): Pick<LifecycleFacts, 'readiness'> {
  const read = containers.flatMap(({ name, readinessProbe: probe }) => {
    if (probe === undefined) return [];
    const { periodSeconds = probeDefaults.periodSeconds, failureThreshold = probeDefaults.failureThreshold } = probe;
    const { initialDelaySeconds = 0 } = probe;
    const delayed = initialDelaySeconds === 0 ? {} : { initialDelaySeconds };
    return [{ container: name, periodSeconds, failureThreshold, ...delayed }];
  });
  const [first] = read.toSorted(
    (a, b) => a.periodSeconds * (a.failureThreshold - 1) - b.periodSeconds * (b.failureThreshold - 1),
  );
  return first === undefined ? {} : { readiness: first };
}

function livenessOf(containers: readonly V1Container[]): Pick<LifecycleFacts, 'liveness'> {
  const [first] = containers.flatMap(({ name, livenessProbe }) => {
    const path = livenessProbe?.httpGet?.path;
    return path === undefined ? [] : [{ container: name, path }];
  });
  return first === undefined ? {} : { liveness: first };
}
