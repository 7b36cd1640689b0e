import type { V2HorizontalPodAutoscaler } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { autoscalerFacts, scaledBy } from '../../../adapters/kubernetes/map-autoscaler.ts';

describe('an autoscaler', () => {
  const web = { name: 'web', namespace: 'shop' };
  const told = (metrics: readonly object[], more: object = {}, kind = 'Deployment') =>
    autoscalerFacts({
      metadata: web,
      spec: { scaleTargetRef: { kind, name: 'web' }, maxReplicas: 9, metrics, ...more },
    } as unknown as V2HorizontalPodAutoscaler);
  const external = (type: string) => ({ type: 'External', external: { target: { type } } });

  it.each([
    ['an external metric of type Value', told([external('Value')]), /multiplies/],
    [
      'a metric of an object of type Value',
      told([{ type: 'Object', object: { target: { type: 'Value' } } }]),
      /multiplies/,
    ],
    ['one of several', told([{ type: 'Resource', resource: {} }, external('Value')]), /multiplies/],
    ['owned pods only', told([], { selectionStrategy: 'OwnerReferences' }), /owned pods only/],
  ])('that goes by %s is told', (_, facts, counts) => {
    expect(facts).toEqual([
      {
        key: 'HorizontalPodAutoscaler shop/web',
        workload: 'Deployment shop/web',
        counts: expect.stringMatching(counts),
      },
    ]);
  });

  it.each([
    ['a total by the number of pods', told([external('AverageValue')])],
    ['what its pods use', told([{ type: 'Resource', resource: { target: { type: 'Utilization' } } }])],
    ['anything, of a StatefulSet', told([external('Value')], {}, 'StatefulSet')],
  ])('that goes by %s is not', (_, facts) => {
    expect(facts).toEqual([]);
  });
});

it.each([
  ['Deployment', ['Deployment shop/web']],
  ['StatefulSet', ['StatefulSet shop/web']],
  ['Rollout', []],
])('an autoscaler says which %s it scales, whatever it counts', (kind, scaled) => {
  const spec = { scaleTargetRef: { kind, name: 'web' }, maxReplicas: 9 };
  expect(scaledBy({ metadata: { name: 'any', namespace: 'shop' }, spec })).toEqual(scaled);
});
