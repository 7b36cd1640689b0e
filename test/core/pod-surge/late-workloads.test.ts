import { describe, expect, test } from 'vitest';
import { type AwaitedWorkload, decideLate, findTooLate, judgeLate } from '../../../core/pod-surge/late-workloads.ts';
import { aCluster, aPolicy, aWorkload, withPodSurge } from '../support/facts.ts';

const policy = aPolicy(withPodSurge());
const { replacementsMs } = policy.waits.deadlines;
const workload = aWorkload('web', 4);
const cluster = aCluster({ workloads: [workload] });

function awaited(kind: AwaitedWorkload['kind']): AwaitedWorkload {
  return { workload: workload.key, kind, reason: `it is ${kind}` };
}

function isTooLate(kind: AwaitedWorkload['kind'], afterMs: number): boolean {
  const first = findTooLate([awaited(kind)], {}, 1_000, policy);
  return findTooLate([awaited(kind)], first.lateSince, 1_000 + afterMs, policy).tooLate.length > 0;
}

test.each<[AwaitedWorkload['kind'], number]>([
  ['starting', replacementsMs],
  ['failing', replacementsMs],
  ['later', replacementsMs],
  ['kept', 30_000],
  ['refused', policy.waits.stabilizationMs],
])('a workload whose replacements are %s is waited for %d ms', (kind, ms) => {
  expect([isTooLate(kind, ms - 1), isTooLate(kind, ms)]).toEqual([false, true]);
});

test('a hopeless workload is not waited for', () => {
  expect(findTooLate([awaited('hopeless')], {}, 0, policy).tooLate).toHaveLength(1);
});

test('the time for one reason starts with that reason, and the deadline with the first', () => {
  const first = findTooLate([awaited('starting')], {}, 0, policy);
  const second = findTooLate([awaited('kept')], first.lateSince, 60_000, policy);
  expect(second.tooLate).toEqual([]);
  expect(findTooLate([awaited('kept')], second.lateSince, 90_000, policy).tooLate).toHaveLength(1);
  expect(findTooLate([awaited('starting')], second.lateSince, replacementsMs, policy).tooLate).toHaveLength(1);
});

describe('a workload that is too late', () => {
  test('is evicted instead, and the run continues', () => {
    for (const kind of ['starting', 'later', 'kept', 'refused', 'hopeless'] as const)
      expect(judgeLate([awaited(kind)], cluster, policy)).toEqual({ expired: [awaited(kind)], stalled: undefined });
  });

  test('stalls the run when the policy requires pod surge', () => {
    const required = aPolicy({ podSurge: { mode: 'required', max: 1, workloads: {} } });
    const { expired, stalled } = judgeLate([awaited('starting')], cluster, required);
    expect(expired).toEqual([]);
    expect(stalled?.reason).toBe('Deployment default/web: it is starting');
  });

  test('stalls a drain when its replacements do not start: the node that it would leave takes no pods', () => {
    const drain = { ...policy, selection: { nodes: [], terminate: false } };
    expect(judgeLate([awaited('starting')], cluster, drain)).toMatchObject({
      expired: [],
      stalled: { hint: expect.stringContaining('Make room') },
    });
    for (const kind of ['later', 'kept', 'refused', 'hopeless'] as const)
      expect(judgeLate([awaited(kind)], cluster, drain).expired).toHaveLength(1);
  });

  test('stalls the run when its replacements fail, because the next ones would too', () => {
    const { expired, stalled } = judgeLate([awaited('failing')], cluster, policy);
    expect(expired).toEqual([]);
    expect(stalled?.hint).toContain('keep serving');
  });
});

test('a replacement that fails stalls a run, but not one that was aborted', () => {
  const since = { [workload.key]: 0, [`failing ${workload.key}`]: 0 };
  const decide = (isRollingBack: boolean) =>
    decideLate([awaited('failing')], since, { cluster, policy, now: replacementsMs, isRollingBack });
  expect(decide(false)).toMatchObject({ expired: [], stalled: { reason: expect.stringContaining('it is failing') } });
  expect(decide(true)).toMatchObject({ expired: [{ workload: workload.key }], stalled: undefined, lateSince: since });
});
