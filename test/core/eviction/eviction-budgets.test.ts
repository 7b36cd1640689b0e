import { describe, expect, test } from 'vitest';
import { hintBudget } from '../../../core/eviction/explain-budget.ts';
import type { UnreadyBefore } from '../../../core/eviction/unready-before.ts';
import { ownerOf } from '../../../core/model/pod.ts';
import { aBudget, aPod, aService } from '../support/facts.ts';
import type { PodFacts } from '../support/model.ts';
import { decide, elsewhere, kinds, web } from './eviction-scene.ts';

describe('budgets', () => {
  const plain = { preStopSeconds: 5 };

  test('a budget that allows no disruption blocks the pod and says what it needs and has', () => {
    const pods = web(plain);
    const budget = { ...aBudget('web', pods, 3), expectedPods: 4 };
    const round = decide({ pods, budgets: [budget] });
    expect(round.actions).toEqual([]);
    expect(round.blocked).toEqual([
      {
        pod: { namespace: 'default', name: 'web-1', uid: 'uid-web-1' },
        budget: 'default/web',
        needs: 3,
        has: 3,
        expects: 4,
        reason: 'budget default/web needs 3 of 4 healthy, has 3',
      },
    ]);
  });

  test('a budget that demands all of its pods never lets one leave, and says so', () => {
    const pods = web(plain);
    const demand = { field: 'minAvailable', amount: 80, isPercentage: true } as const;
    const { blocked } = decide({ pods, budgets: [{ ...aBudget('web', pods, 3), demand }] });
    expect(blocked.map(({ reason }) => reason)).toEqual([
      'budget default/web needs all of its 3 pods healthy, so it never lets one leave',
    ]);
    expect(hintBudget(blocked)).toMatch(
      /^PodDisruptionBudget default\/web never lets .*maxUnavailable: 1.*at least 5 of its pods: its minAvailable is 80%\. Then resume\.$/,
    );
  });

  test('a budget allows one pod to leave per round, however many disruptions it allows', () => {
    const pods = [aPod('web-1', 'n1', plain), aPod('web-4', 'n1', plain), ...elsewhere];
    const round = decide({ pods, budgets: [aBudget('web', pods, 1)] });
    expect(kinds(round)).toEqual(['evict web-1']);
    expect(round.blocked).toMatchObject([
      { pod: { name: 'web-4' }, reason: 'budget default/web lets one pod leave at a time' },
    ]);
  });

  test.each([
    ['terminating', { terminating: true }],
    ['not Ready', { ready: false }],
    ['removed from its endpoints and not yet replaced', { endpointsRemoved: { by: 'run', originalLabels: {} } }],
  ])('a pod that is %s is not counted as healthy, whatever the status of the budget says', (_, change) => {
    const pods = [aPod('web-1', 'n1', plain), aPod('web-2', 'n2', change), aPod('web-3', 'n3')];
    const budget = { ...aBudget('web', pods, 2), currentHealthy: 3, disruptionsAllowed: 1 };
    expect(decide({ pods, budgets: [budget] }).blocked).toMatchObject([{ needs: 2, has: 2 }]);
  });

  test('a pod that is not Ready is left to the eviction API, which knows the budget policy for such pods', () => {
    const pods = web({ ready: false });
    expect(kinds(decide({ pods, budgets: [aBudget('web', pods, 3)] }))).toEqual(['evict web-1']);
  });

  test('a removed pod is not charged a second time', () => {
    const pods = web({ endpointsRemoved: { by: 'run', originalLabels: {} } });
    const round = decide({ pods, budgets: [aBudget('web', pods, 3)] }, { removedAt: { 'uid-web-1': 0 } });
    expect(kinds(round)).toEqual(['evict web-1']);
  });

  test('a pod of two budgets is never tried: the API refuses it for good', () => {
    const pods = web();
    const round = decide({ pods, budgets: [aBudget('one', pods, 1), aBudget('two', pods, 1)] });
    expect(round.actions).toEqual([]);
    expect(round.blocked[0]?.reason).toContain('several budgets select it (default/one, default/two)');
  });
});

describe('Services without a budget', () => {
  test('give up one pod at a time', () => {
    const pods = [aPod('web-1', 'n1'), aPod('web-4', 'n1'), ...elsewhere];
    const round = decide({ pods, services: [aService('web', pods)] });
    expect(kinds(round)).toEqual(['remove-endpoints web-1']);
    expect(round.blocked).toMatchObject([
      { reason: 'service default/web has no budget and allows one pod to leave at a time' },
    ]);
  });

  test.each([
    [
      'is out of its endpoints on another node',
      { endpointsRemoved: { by: 'run', originalLabels: { app: 'web' } }, labels: {} },
    ],
    ['terminates on another node', { terminating: true }],
    ['has not been replaced yet', { ready: false, phase: 'Pending' }],
  ] as const)('give up none while another pod %s', (_, leaving) => {
    const pods = [aPod('web-1', 'n1'), aPod('web-2', 'n2'), aPod('web-3', 'n3')];
    const facts = { pods: [...pods, aPod('web-4', 'n4', leaving)], services: [aService('web', pods)] };
    const round = decide(facts);
    expect(round.actions).toEqual([]);
    expect(round.blocked[0]?.reason).toBe(
      'service default/web has no budget and allows one pod to leave at a time, and web-4 is not Ready',
    );
  });

  describe('with a pod that is not ready', () => {
    const now = 10 * 60_000;
    const ready = ['web-1', 'web-2', 'web-3'].map((name, index) => aPod(name, `n${index + 1}`));
    const unready = (name: string, change: Partial<PodFacts> = {}) =>
      aPod(name, 'n4', { ready: false, unreadySince: 0, ...change });
    const before = (unready: number, pods = 4) => ({ [ownerOf(aPod('web-1', 'n1'))]: { unready, pods } });
    const round = (late: readonly PodFacts[], unreadyBefore?: UnreadyBefore, kept = ready) => {
      const pods = [...kept, ...late];
      const facts = { pods, services: [aService('web', pods)] };
      return kinds(decide(facts, { now, ...(unreadyBefore && { unreadyBefore }) }));
    };
    const leaves = ['remove-endpoints web-1'];

    test('and was not before the run, let another leave', () => {
      expect(round([unready('web-4')], before(1))).toEqual(leaves);
      const pending = { node: undefined, phase: 'Pending', unschedulableReason: '0/4 nodes are available' } as const;
      expect(round([unready('web-4', pending)], before(1))).toEqual(leaves);
    });

    test('let another leave though that one was moved since, once it has not recovered at once', () => {
      expect(round([unready('web-9', { unreadySince: now - 60_000 })], before(1))).toEqual(leaves);
      expect(round([unready('web-9', { unreadySince: now - 59_000 })], before(1))).toEqual([]);
    });

    test('let none leave while a replacement is not ready, however long it takes', () => {
      expect(round([unready('web-9')])).toEqual([]);
      expect(round([unready('web-9')], { 'Deployment default/api': { unready: 1, pods: 4 } })).toEqual([]);
      expect(round([unready('web-4'), unready('web-9', { unreadySince: 60_000 })], before(1, 5))).toEqual([]);
      expect(round([unready('web-9', { node: undefined })], before(1))).toEqual([]);
    });

    test('let none leave while another one terminates, or is out of its endpoints', () => {
      const removed = { endpointsRemoved: { by: 'run', originalLabels: { app: 'web' } }, labels: {} };
      for (const leaving of [{ terminating: true }, removed])
        expect(round([unready('web-4'), aPod('web-5', 'n5', leaving)], before(1, 5))).toEqual([]);
    });

    test('let none leave for one that went when they were scaled down', () => {
      expect(round([unready('web-9')], before(1, 5))).toEqual([]);
    });

    test('let none leave for one that may have come when they were scaled up', () => {
      expect(round([unready('web-9')], before(1, 3))).toEqual([]);
      expect(round([unready('web-9')], before(2, 3))).toEqual(leaves);
    });
  });

  test('keep their last ready endpoint until another is ready', () => {
    const pods = [aPod('web-1', 'n1'), aPod('web-2', undefined, { ready: false, phase: 'Pending' })];
    const round = decide({ pods, services: [aService('web', pods)] });
    expect(round.actions).toEqual([]);
    expect(round.blocked).toMatchObject([
      { needs: 1, has: 1, reason: 'it is the last ready endpoint of service default/web' },
    ]);
  });

  test('give up their only pod, because waiting would change nothing', () => {
    const pods = [aPod('web-1', 'n1')];
    expect(kinds(decide({ pods, services: [aService('web', pods)] }))).toEqual(['remove-endpoints web-1']);
  });
});
