import { describe, expect, test } from 'vitest';
import { countUnready } from '../../../core/eviction/unready-before.ts';
import { ownerOf } from '../../../core/model/pod.ts';
import { aCluster, aPod, aService } from '../support/facts.ts';
import type { PodFacts } from '../support/model.ts';
import { factsOf, planFor, pods } from '../support/scene.ts';

const unready = { ready: false, unreadySince: 0 } as const;
const owner = ownerOf(aPod('web-1', 'n1'));

describe('pods that were not ready before a run', () => {
  const count = (change: Partial<PodFacts>) => {
    const all = [...pods, aPod('web-5', 'n1', change)];
    return countUnready(aCluster({ pods: all, services: [aService('web', all)] }));
  };

  test('are counted by owner, with a node or without, beside all of its pods', () => {
    expect(count(unready)).toEqual({ [owner]: { unready: 1, pods: 5 } });
    expect(count({ ...unready, node: undefined, phase: 'Pending' })).toEqual({ [owner]: { unready: 1, pods: 5 } });
  });

  test.each<[string, Partial<PodFacts>]>([
    ['is ready', {}],
    ['terminates', { ...unready, terminating: true }],
    ['has run to its end', { ...unready, phase: 'Succeeded' }],
    ['a run has removed from its endpoints', { ...unready, endpointsRemoved: { by: 'run', originalLabels: {} } }],
    ['is behind no Service', { ...unready, labels: { app: 'other' } }],
  ])('do not include one that %s', (_, change) => {
    expect(count(change)).toEqual({});
  });

  test('are part of the plan, which says nothing where all are ready', () => {
    const late = [...pods, aPod('web-5', 'n1', unready)];
    expect(planFor(factsOf({ pods: late })).unreadyBefore).toEqual({ [owner]: { unready: 1, pods: 5 } });
    expect(planFor(factsOf())).not.toHaveProperty('unreadyBefore');
  });
});
