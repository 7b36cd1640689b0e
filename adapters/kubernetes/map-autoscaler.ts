import type { V2HorizontalPodAutoscaler, V2MetricSpec } from '@kubernetes/client-node';

import type { AutoscalerFacts } from '../../core/model/autoscaler.ts';
import { workloadKey } from './map-workload.ts';

/** KEP-5325, which the client library does not support yet. */
interface SelectingSpec {
  readonly selectionStrategy?: string;
}

/**
 * Only two kinds of HorizontalPodAutoscaler are kept. One with an Object or External metric of target type Value multiplies the ratio by all Ready
 * pods that the selector finds, including released ones (Kubernetes 1.36, pkg/controller/podautoscaler/replica_calculator.go,
 * getUsageRatioReplicaCount); KEDA's `metricType: Value` creates such metrics. One that counts only the pods of its owner sees half of the load on
 * each while released pods take the other half.
 */
export function autoscalerFacts({ metadata, spec }: V2HorizontalPodAutoscaler): readonly AutoscalerFacts[] {
  const { namespace = '', name = '' } = metadata ?? {};
  const { kind, name: target } = spec?.scaleTargetRef ?? { kind: '', name: '' };
  const counts = explainCounting(spec?.metrics ?? [], spec as SelectingSpec | undefined);
  if (kind !== 'Deployment' || counts === undefined) return [];
  return [
    {
      key: `HorizontalPodAutoscaler ${namespace}/${name}`,
      workload: workloadKey('Deployment', namespace, target),
      counts,
    },
  ];
}

/** Key of the workload that an autoscaler scales. Kinds other than these are no workloads here. */
export function scaledBy({ metadata, spec }: V2HorizontalPodAutoscaler): readonly string[] {
  const { kind, name } = spec?.scaleTargetRef ?? { kind: '', name: '' };
  return kind === 'Deployment' || kind === 'StatefulSet' ? [workloadKey(kind, metadata?.namespace ?? '', name)] : [];
}

function explainCounting(metrics: readonly V2MetricSpec[], spec: SelectingSpec | undefined): string | undefined {
  if (spec?.selectionStrategy === 'OwnerReferences')
    return 'counts owned pods only, and would scale down while released ones take part of the load';
  const multiplies = metrics.some(
    ({ object, external }) => object?.target.type === 'Value' || external?.target.type === 'Value',
  );
  return multiplies
    ? 'multiplies a metric by all ready pods, released ones too, and would scale up to twice as many'
    : undefined;
}
