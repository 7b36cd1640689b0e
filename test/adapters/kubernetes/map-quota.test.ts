import type { V1ResourceQuota } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { amountsOf } from '../../../adapters/kubernetes/map-amounts.ts';
import { limitRangeFacts, quotaFacts } from '../../../adapters/kubernetes/map-quota.ts';

describe('a quota', () => {
  const told = (hard: object, spec: object = {}) =>
    quotaFacts({ metadata: { name: 'q', namespace: 'shop' }, spec, status: { hard } } as V1ResourceQuota);

  it('is told with what pods take of it', () => {
    const hard = {
      pods: '10',
      'requests.cpu': '1500m',
      'limits.memory': '2Gi',
      services: '3',
      'requests.nvidia.com/gpu': '1',
    };
    expect(told(hard)).toEqual([
      {
        key: 'ResourceQuota shop/q',
        namespace: 'shop',
        hard: { pods: 10, 'requests.cpu': 1.5, 'limits.memory': 2 * 2 ** 30, 'requests.nvidia.com/gpu': 1 },
      },
    ]);
  });

  it('of some pods only is told with which', () => {
    const scopeSelector = { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] };
    expect(told({ pods: '1' }, { scopes: ['BestEffort'], scopeSelector })[0]?.scopes).toEqual([
      { name: 'BestEffort', operator: 'Exists', values: [] },
      { name: 'PriorityClass', operator: 'In', values: ['high'] },
    ]);
  });

  it('of other things, or one that is not kept yet, is not told', () => {
    expect(told({ services: '4', 'count/secrets': '9' })).toEqual([]);
    expect(quotaFacts({ spec: { hard: { pods: '4' } } })).toEqual([]);
  });
});

describe('a limit range', () => {
  const limit = {
    type: 'Container',
    max: { cpu: '2' },
    default: { cpu: '1' },
    maxLimitRequestRatio: { cpu: '4' },
    defaultRequest: { cpu: '100m' },
  };

  it('is told as far as it is about pods and containers', () => {
    const limits = [limit, { type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }];
    expect(limitRangeFacts({ metadata: { name: 'l', namespace: 'shop' }, spec: { limits } })).toEqual([
      {
        key: 'LimitRange shop/l',
        namespace: 'shop',
        limits: [
          {
            of: 'Container',
            min: {},
            max: { cpu: 2 },
            ratio: { cpu: 4 },
            defaultRequests: { cpu: 0.1 },
            defaultLimits: { cpu: 1 },
          },
        ],
      },
    ]);
    expect(limitRangeFacts({ spec: { limits: limits.slice(1) } })).toEqual([]);
  });
});

it.each([
  ['100m', 0.1],
  ['2', 2],
  ['1.5Gi', 1.5 * 2 ** 30],
  ['1e3', 1_000],
  ['12E', 12e18],
  ['5k', 5_000],
  ['100n', 1e-7],
])('reads the quantity %s', (quantity, amount) => {
  expect(amountsOf({ cpu: quantity })['cpu']).toBeCloseTo(amount, 12);
});

it('leaves out what is no quantity', () => {
  expect(amountsOf({ cpu: 'much', memory: '1Xi', pods: '' })).toEqual({});
});
