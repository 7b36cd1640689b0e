import { describe, expect, test } from 'vitest';
import type { PodAction, PodActionResult } from '../../../core/eviction/actions.ts';
import { deferRejected, explainImpossible, noteRejection } from '../../../core/eviction/rejections.ts';
import { aBudget, aCluster, aPod } from '../support/facts.ts';

const now = 1_000_000;
const pod = aPod('web-1', 'n1');
const evict: PodAction = { kind: 'evict', pod };
const busy: PodActionResult = { outcome: 'blocked', by: 'server', reason: 'too busy', retryAfterMs: 10_000 };
const full: PodActionResult = { outcome: 'blocked', by: 'budget', reason: 'web needs 3', retryAfterMs: 5_000 };

const budgetAllowing = (disruptionsAllowed: number) =>
  aCluster({ pods: [pod], budgets: [{ ...aBudget('web', [pod], 3), currentHealthy: 3, disruptionsAllowed }] });

describe('an eviction that the API server rejects for now', () => {
  const rejected = noteRejection({}, pod, busy, now);

  test('is tried again at the retry time of the API server, and not before', () => {
    const facts = aCluster({ pods: [pod] });
    expect(deferRejected([evict], rejected, facts, now + 9_999)).toMatchObject({
      actions: [],
      blocked: [{ pod: { name: 'web-1' }, budget: undefined, reason: 'its eviction is refused: too busy' }],
    });
    expect(deferRejected([evict], rejected, facts, now + 10_000)).toEqual({ actions: [evict], blocked: [] });
  });

  test('is not tried earlier because its budget has room', () => {
    expect(deferRejected([evict], rejected, budgetAllowing(1), now + 1).actions).toEqual([]);
  });

  test('defers no other action', () => {
    const restoreEndpoints: PodAction = { kind: 'restore-endpoints', pod };
    const other: PodAction = { kind: 'evict', pod: aPod('web-2', 'n1') };
    const { actions } = deferRejected([restoreEndpoints, evict, other], rejected, aCluster({ pods: [pod] }), now);
    expect(actions).toEqual([restoreEndpoints, other]);
  });

  test('keeps the pod in its endpoints until then, unless it was out of them before', () => {
    const removeEndpoints: PodAction = { kind: 'remove-endpoints', pod, removeLabels: ['app'] };
    expect(deferRejected([removeEndpoints], rejected, aCluster({ pods: [pod] }), now).actions).toEqual([]);
    const back = { ...pod, endpointsRemoved: { by: 'run', originalLabels: { app: 'web' } } };
    expect(deferRejected([removeEndpoints], rejected, aCluster({ pods: [back] }), now).actions).toEqual([
      removeEndpoints,
    ]);
  });

  test.each(['done', 'gone', 'not-ours'] as const)('is forgotten once an action on the pod is %s', (outcome) => {
    expect(noteRejection(rejected, pod, { outcome }, now)).toEqual({});
  });
});

describe('a removal from endpoints that admission denies', () => {
  const denied: PodActionResult = { outcome: 'denied', reason: 'its labels may not be removed: app is required' };
  const rejected = noteRejection({}, pod, denied, now);
  const removeEndpoints: PodAction = { kind: 'remove-endpoints', pod, removeLabels: ['app'] };

  test.each([
    ['a pod that is an endpoint', pod],
    ['one that was removed before', { ...pod, endpointsRemoved: { by: 'run', originalLabels: { app: 'web' } } }],
  ])('is tried again after a minute, of %s, and the ways out are named', (_, seen) => {
    const facts = aCluster({ pods: [seen] });
    expect(deferRejected([removeEndpoints], rejected, facts, now + 59_999)).toMatchObject({
      actions: [],
      blocked: [
        { reason: expect.stringMatching(/^its labels may not be removed: app is required. Exempt .*delete the pod/) },
      ],
    });
    expect(deferRejected([removeEndpoints], rejected, facts, now + 60_000).actions).toEqual([removeEndpoints]);
  });

  test('defers no eviction, even where the budget has no room', () => {
    expect(deferRejected([evict], rejected, budgetAllowing(0), now + 1).actions).toEqual([evict]);
  });
});

describe('an eviction that a budget rejects', () => {
  const rejected = noteRejection({}, pod, full, now);

  test('waits, with the numbers of its budget', () => {
    expect(deferRejected([evict], rejected, budgetAllowing(0), now + 1)).toMatchObject({
      actions: [],
      blocked: [{ budget: 'default/web', needs: 3, has: 3, reason: 'its eviction is refused: web needs 3' }],
    });
  });

  test('is tried as soon as the budget has room', () => {
    expect(deferRejected([evict], rejected, budgetAllowing(1), now + 1).actions).toEqual([evict]);
  });
});

test('an eviction that is rejected permanently calls an operator in the words of the API server', () => {
  expect(explainImpossible(pod, 'it has more than one PodDisruptionBudget')).toMatchObject({
    code: 'Conflict',
    message: 'the API server refuses to evict default/web-1: it has more than one PodDisruptionBudget',
  });
  const rejected = noteRejection({}, pod, { outcome: 'impossible', reason: 'two budgets' }, now);
  expect(rejected).toEqual({ [pod.uid]: { message: 'two budgets', againAt: now + 60_000 } });
});
