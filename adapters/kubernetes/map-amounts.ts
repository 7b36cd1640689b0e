import type { V1Container, V1Pod } from '@kubernetes/client-node';

import type { Amounts, ContainerNeeds } from '../../core/model/quota.ts';

/** Suffixes of quantities (Kubernetes API conventions; apimachinery pkg/api/resource, suffix.go). */
const factors: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Reads amounts of resources; amounts that can't be parsed are left out. */
export function amountsOf(quantities: Readonly<Record<string, string>> = {}): Amounts {
  return Object.fromEntries(
    Object.entries(quantities).flatMap(([name, quantity]) => {
      const [, number = '', suffix = ''] = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)([A-Za-z]*)$/.exec(quantity) ?? [];
      const amount = number === '' ? Number.NaN : Number(number) * (factors[suffix] ?? Number.NaN);
      return Number.isFinite(amount) ? [[name, amount] as const] : [];
    }),
  );
}

/** What the containers of a pod request; absent when none requests anything. */
export function needsOf({ spec }: V1Pod): { readonly needs?: readonly ContainerNeeds[] } {
  const own = (spec?.containers ?? []).map((container) => containerNeeds(container, 'app'));
  const first = (spec?.initContainers ?? []).map((container) =>
    containerNeeds(container, container.restartPolicy === 'Always' ? 'sidecar' : 'init'),
  );
  const overhead = Object.keys(spec?.overhead ?? {}).length === 0 ? [] : [amountsOf(spec?.overhead)];
  const needs: readonly ContainerNeeds[] = [
    ...own,
    ...first,
    ...overhead.map((amounts) => ({ kind: 'overhead', requests: amounts, limits: {} }) as const),
  ];
  const isBare = needs.every(({ requests, limits }) => Object.keys({ ...requests, ...limits }).length === 0);
  return isBare ? {} : { needs };
}

function containerNeeds({ resources }: V1Container, kind: ContainerNeeds['kind']): ContainerNeeds {
  return { kind, requests: amountsOf(resources?.requests), limits: amountsOf(resources?.limits) };
}
