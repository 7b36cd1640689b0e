import { describe, expect, test } from 'vitest';
import type { PodAction } from '../../core/eviction/actions.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { executePodAction, tryEviction } from '../../operations/execute-pod-action.ts';
import type { EvictionOutcome } from '../../ports/cluster/pod-actions.ts';
import { createSimPorts } from '../simulator/ports.ts';
import { createScenario } from '../simulator/scenario.ts';

const run = 'run-1';

function openScene() {
  const world = createScenario();
  const { cluster } = createSimPorts(world);
  const sim = world.pods.find(({ of }) => of === 'web');
  if (sim === undefined) throw new Error('no pod');
  const { name, uid } = sim;
  const pod = { namespace: 'default', name, uid };
  const seen = () => world.pods.find((one) => one.uid === uid);
  return { world, cluster, pod, seen };
}

test('removes a pod from its endpoints and restores it', async () => {
  const { cluster, pod, seen } = openScene();
  const removeEndpoints: PodAction = { kind: 'remove-endpoints', pod, removeLabels: ['app'] };
  expect(await executePodAction(cluster, removeEndpoints, run)).toEqual({ outcome: 'done' });
  expect(seen()?.labels).not.toHaveProperty('app');
  expect(await executePodAction(cluster, { kind: 'restore-endpoints', pod }, 'another')).toEqual({
    outcome: 'not-ours',
  });
  expect(await executePodAction(cluster, { kind: 'restore-endpoints', pod }, run)).toEqual({ outcome: 'done' });
  expect(seen()?.labels).toHaveProperty('app');
});

test('says that admission does not let it remove labels, and throws whatever else fails', async () => {
  const { world, cluster, pod } = openScene();
  const removeEndpoints: PodAction = { kind: 'remove-endpoints', pod, removeLabels: ['app'] };
  world.denials.push({ workload: 'web', what: 'remove-endpoints', says: 'app is required' });
  expect(await executePodAction(cluster, removeEndpoints, run)).toEqual({
    outcome: 'denied',
    reason: 'its labels may not be removed: app is required',
  });
  const fail = async () => {
    throw new NodeferryError({ code: 'Forbidden', message: 'not allowed' });
  };
  const failing = { ...cluster, removeEndpoints: fail };
  await expect(executePodAction(failing, removeEndpoints, run)).rejects.toThrow('not allowed');
});

test('does not adopt a pod that nobody released', async () => {
  const { cluster, pod } = openScene();
  expect(await executePodAction(cluster, { kind: 'adopt', pod }, run)).toEqual({ outcome: 'not-ours' });
});

test('raises the deletion cost of a pod and restores it', async () => {
  const { cluster, pod } = openScene();
  expect(await executePodAction(cluster, { kind: 'raiseDeletionCost', pod }, run)).toEqual({ outcome: 'done' });
  expect(await executePodAction(cluster, { kind: 'restoreDeletionCost', pod }, run)).toEqual({ outcome: 'done' });
});

test('deletes a pod, and finds it gone under another UID', async () => {
  const { cluster, pod, seen } = openScene();
  const other = { ...pod, uid: 'another' };
  expect(await executePodAction(cluster, { kind: 'delete', pod: other }, run)).toEqual({ outcome: 'gone' });
  expect(seen()?.terminating).toBe(false);
  expect(await executePodAction(cluster, { kind: 'delete', pod }, run)).toEqual({ outcome: 'done' });
  expect(seen()?.terminating).toBe(true);
});

test('a dry run of an eviction changes nothing', async () => {
  const { world, cluster, pod, seen } = openScene();
  world.budgets = [];
  expect(await tryEviction(cluster, pod)).toEqual({ outcome: 'done' });
  expect(seen()?.terminating).toBe(false);
});

describe('what the eviction API answers', () => {
  const answers: readonly [EvictionOutcome, object][] = [
    [{ outcome: 'evicted' }, { outcome: 'done' }],
    [{ outcome: 'gone' }, { outcome: 'gone' }],
    [
      { outcome: 'blocked-by-budget', message: 'web needs 3', retryAfterMs: 5_000 },
      { outcome: 'blocked', by: 'budget', reason: 'web needs 3', retryAfterMs: 5_000 },
    ],
    [
      { outcome: 'retry', message: 'too busy', retryAfterMs: 10_000 },
      { outcome: 'blocked', by: 'server', reason: 'too busy', retryAfterMs: 10_000 },
    ],
    [
      { outcome: 'impossible', message: 'more than one PodDisruptionBudget' },
      { outcome: 'impossible', reason: 'more than one PodDisruptionBudget' },
    ],
  ];
  test.each(answers)('%o', async (answer, result) => {
    const { cluster, pod } = openScene();
    const answering = { ...cluster, evict: async () => answer };
    expect(await executePodAction(answering, { kind: 'evict', pod }, run)).toEqual(result);
    expect(await tryEviction(answering, pod)).toEqual(result);
  });
});
