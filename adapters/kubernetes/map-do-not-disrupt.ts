import type { V1Node, V1Pod } from '@kubernetes/client-node';

import type { NodeFacts } from '../../core/model/node.ts';
import type { PodFacts } from '../../core/model/pod.ts';

/** Annotations of the cluster autoscaler (utils/drain/drain.go; core/scaledown/eligibility/eligibility.go, ScaleDownDisabledKey). */
const safeToEvictAnnotation = 'cluster-autoscaler.kubernetes.io/safe-to-evict';
const safeVolumesAnnotation = 'cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes';
const scaleDownDisabledAnnotation = 'cluster-autoscaler.kubernetes.io/scale-down-disabled';
/** Annotation of Karpenter, on pods and nodes (karpenter pkg/apis/v1/labels.go). */
const doNotDisruptAnnotation = 'karpenter.sh/do-not-disrupt';

/** Milliseconds of the units of a Go duration that matter here. */
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** The owner's request not to disrupt a pod. Values that mean nothing to the other tools mean nothing here. */
export function doNotDisruptOf({ metadata, status }: V1Pod): Pick<PodFacts, 'safeToEvict' | 'doNotDisrupt'> {
  const safe = metadata?.annotations?.[safeToEvictAnnotation];
  const annotation = metadata?.annotations?.[doNotDisruptAnnotation];
  const doNotDisrupt = annotation === undefined ? undefined : parseDoNotDisrupt(annotation, status?.startTime);
  return {
    ...(safe === 'true' || safe === 'false' || safe === 'on-completion' ? { safeToEvict: safe } : {}),
    ...(doNotDisrupt === undefined ? {} : { doNotDisrupt }),
  };
}

/** What a node asks of those that remove nodes. On nodes Karpenter supports no duration (karpenter pkg/controllers/state/statenode.go). */
export function asksToStay({ metadata }: V1Node): Pick<NodeFacts, 'doNotDisrupt' | 'scaleDownDisabled'> {
  return {
    ...(metadata?.annotations?.[doNotDisruptAnnotation] === 'true' ? { doNotDisrupt: true } : {}),
    ...(metadata?.annotations?.[scaleDownDisabledAnnotation] === 'true' ? { scaleDownDisabled: true } : {}),
  };
}

/** Whether the pod has emptyDir data that its owner has not declared expendable, volume by volume (cluster autoscaler, HasBlockingLocalStorage). */
export function hasEmptyDirData({ metadata, spec }: V1Pod): boolean {
  const given = metadata?.annotations?.[safeVolumesAnnotation]?.split(',') ?? [];
  return (spec?.volumes ?? []).some(({ name, emptyDir }) => emptyDir !== undefined && !given.includes(name));
}

/** `"true"` never ends. A duration counts from the pod's start; without a start time its end is unknown (karpenter, IsDoNotDisruptActive). */
function parseDoNotDisrupt(value: string, startTime: Date | string | undefined): PodFacts['doNotDisrupt'] {
  if (value === 'true') return 'for-good';
  const ms = parseGoDuration(value);
  if (ms === undefined || ms <= 0) return undefined;
  return startTime === undefined ? 'for-good' : new Date(startTime).getTime() + ms;
}

/** A Go duration such as `4h` or `1h30m` (pkg.go.dev/time#ParseDuration) in ms; undefined for anything else. */
function parseGoDuration(text: string): number | undefined {
  if (!/^\+?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us|µs|ns))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/([\d.]+)([a-zµ]+)/g)];
  return parts.reduce((sum, [, number, unit = '']) => sum + Number(number) * (unitMs[unit] ?? 0), 0);
}
