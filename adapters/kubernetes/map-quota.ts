import type { V1LimitRangeItem, V1ObjectMeta, V1ResourceQuota } from '@kubernetes/client-node';

import type { LimitRangeFacts, QuotaFacts, QuotaScope } from '../../core/model/quota.ts';
import { amountsOf } from './map-amounts.ts';

/** Resources that pods consume (kubernetes pkg/quota/v1/evaluator/core/pods.go, MatchingResources). */
const ofPods = /^(pods|count\/pods|cpu|memory|ephemeral-storage|hugepages-.+|(requests|limits)\..+)$/;

/** What a quota allows pods, as last seen by its controller; undefined for a quota about other things. */
export function quotaFacts({ metadata, spec, status }: V1ResourceQuota): readonly QuotaFacts[] {
  const hard = Object.entries(amountsOf(status?.hard)).filter(([name]) => ofPods.test(name));
  if (hard.length === 0) return [];
  const { namespace = '', name = '' } = metadata ?? {};
  const scopes: readonly QuotaScope[] = [
    ...(spec?.scopes ?? []).map((scope) => ({ name: scope, operator: 'Exists', values: [] }) as const),
    ...(spec?.scopeSelector?.matchExpressions ?? []).map(({ scopeName, operator, values = [] }) => {
      return { name: scopeName, operator: operator as QuotaScope['operator'], values };
    }),
  ];
  const key = `ResourceQuota ${namespace}/${name}`;
  return [{ key, namespace, hard: Object.fromEntries(hard), ...(scopes.length === 0 ? {} : { scopes }) }];
}

/** As the API server writes it; the client library has another name for `default`. */
export interface LimitRangeObject {
  readonly metadata?: V1ObjectMeta;
  readonly spec?: {
    readonly limits: readonly (Omit<V1LimitRangeItem, '_default'> & { readonly default?: Record<string, string> })[];
  };
}

/** What a limit range sets for pods and their containers. The API server has filled in its defaults. */
export function limitRangeFacts({ metadata, spec }: LimitRangeObject): readonly LimitRangeFacts[] {
  const limits = (spec?.limits ?? []).flatMap(({ type, min, max, maxLimitRequestRatio, defaultRequest, ...rest }) => {
    if (type !== 'Container' && type !== 'Pod') return [];
    return [
      {
        of: type,
        min: amountsOf(min),
        max: amountsOf(max),
        ratio: amountsOf(maxLimitRequestRatio),
        defaultRequests: amountsOf(defaultRequest),
        defaultLimits: amountsOf(rest.default),
      } as const,
    ];
  });
  if (limits.length === 0) return [];
  const { namespace = '', name = '' } = metadata ?? {};
  return [{ key: `LimitRange ${namespace}/${name}`, namespace, limits }];
}
