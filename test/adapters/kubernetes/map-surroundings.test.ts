import type { V1ResourceQuota, V2HorizontalPodAutoscaler } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { autoscalerFacts } from '../../../adapters/kubernetes/map-autoscaler.ts';
import { quotaFacts } from '../../../adapters/kubernetes/map-quota.ts';

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

describe('a quota', () => {
  const told = (hard: object, used: object, spec: object = {}) =>
    quotaFacts({ metadata: { name: 'q', namespace: 'shop' }, spec, status: { hard, used } } as V1ResourceQuota);

  it.each([
    [{ pods: '10' }, { pods: '7' }, 3],
    [{ 'count/pods': '10' }, { 'count/pods': '12' }, 0],
    [{ pods: '10', 'count/pods': '20' }, { pods: '4', 'count/pods': '19' }, 1],
  ])('of %j with %j used leaves room for %i pods', (hard, used, podsLeft) => {
    expect(told(hard, used)).toEqual([{ key: 'ResourceQuota shop/q', namespace: 'shop', podsLeft }]);
  });

  it('of other things, or of some pods only, is not told', () => {
    expect(told({ 'requests.cpu': '4' }, { 'requests.cpu': '4' })).toEqual([]);
    expect(told({ pods: '1' }, { pods: '1' }, { scopes: ['BestEffort'] })).toEqual([]);
  });
});
