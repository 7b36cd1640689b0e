import type { V1ResourceQuota } from '@kubernetes/client-node';

import type { QuotaFacts } from '../../core/model/quota.ts';

/** Both count pods that are not finished (Kubernetes docs, "Resource Quotas", Object Count Quota). */
const podCounts = ['pods', 'count/pods'] as const;

/** How many pods a quota leaves room for; nothing for one that is about other things, or about some pods only. */
export function quotaFacts({ metadata, spec, status }: V1ResourceQuota): readonly QuotaFacts[] {
  if ((spec?.scopes ?? []).length > 0 || spec?.scopeSelector !== undefined) return [];
  const left = podCounts.flatMap((name) => {
    const [hard, used] = [Number(status?.hard?.[name] ?? 'NaN'), Number(status?.used?.[name] ?? 0)];
    return Number.isFinite(hard - used) ? [hard - used] : [];
  });
  if (left.length === 0) return [];
  const { namespace = '', name = '' } = metadata ?? {};
  return [{ key: `ResourceQuota ${namespace}/${name}`, namespace, podsLeft: Math.max(0, Math.min(...left)) }];
}
