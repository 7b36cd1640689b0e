import { describe, expect, test } from 'vitest';
import { countUnready } from '../../../core/eviction/unready-before.ts';
import { ownerOf } from '../../../core/model/pod.ts';
import { aCluster, aPod, aPolicy, aService } from '../support/facts.ts';
import type { PodFacts } from '../support/model.ts';
import { factsOf, planFor, pods } from '../support/scene.ts';

const unready = { ready: false, unreadySince: 0 } as const;
const now = 60_000;
const owner = ownerOf(aPod('web-1', 'n1'));

describe('pods that were not ready before a run', () => {
  const count = (change: Partial<PodFacts>) => {
    const all = [...pods, aPod('web-5', 'n1', change)];
    const facts = aCluster({ pods: all, services: [aService('web', all)] });
    return countUnready({ facts, policy: aPolicy(), now });
  };

  test('are counted by owner, with a node or without, beside all of its pods', () => {
    expect(count(unready)).toEqual({ [owner]: { unready: 1, pods: 5 } });
    const unschedulable = {
      node: undefined,
      phase: 'Pending',
      unschedulableReason: '0/4 nodes are available',
    } as const;
    expect(count({ ...unready, ...unschedulable })).toEqual({ [owner]: { unready: 1, pods: 5 } });
  });

  test.each<[string, Partial<PodFacts>]>([
    ['is ready', {}],
    ['has been unready for less than a minute', { ...unready, unreadySince: 1 }],
    ['has not begun to start', { ready: false, phase: 'Pending' }],
    ['waits for the scheduler', { ready: false, node: undefined, phase: 'Pending' }],
    ['terminates', { ...unready, terminating: true }],
    ['has run to its end', { ...unready, phase: 'Succeeded' }],
    ['a run has removed from its endpoints', { ...unready, endpointsRemoved: { by: 'run', originalLabels: {} } }],
    ['is behind no Service', { ...unready, labels: { app: 'other' } }],
  ])('do not include one that %s', (_, change) => {
    expect(count(change)).toEqual({});
  });

  test('are part of the plan, which says nothing where all are ready', () => {
    const late = [...pods, aPod('web-5', 'n1', unready)];
    expect(planFor(factsOf({ pods: late, observedAt: now })).unreadyBefore).toEqual({
      [owner]: { unready: 1, pods: 5 },
    });
    expect(planFor(factsOf())).not.toHaveProperty('unreadyBefore');
  });
});
