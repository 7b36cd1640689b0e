import { expect, test } from 'vitest';
import { decideDrain } from '../../../core/drain/decide-drain.ts';
import type { PodFacts } from '../../../core/model/pod.ts';
import type { DrainPolicy } from '../../../core/policy/policy.ts';
import { aPod } from '../support/facts.ts';

const careful: DrainPolicy = { deleteEmptyDirData: false, force: false, neverUnlist: [] };

const cases: readonly (readonly [string, Partial<PodFacts>, Partial<DrainPolicy>, string])[] = [
  ['a ReplicaSet pod is evicted', {}, {}, 'evict'],
  ['a StatefulSet pod is evicted', { ownerKind: 'StatefulSet' }, {}, 'evict'],
  ['a Job pod is evicted', { ownerKind: 'Job' }, {}, 'evict'],
  ['a pod of an unknown controller is evicted', { ownerKind: 'other' }, {}, 'evict'],
  ['a mirror pod is skipped', { mirror: true, ownerKind: 'Node' }, {}, 'skip'],
  ['a mirror pod is skipped even while it is terminating', { mirror: true, terminating: true }, {}, 'skip'],
  ['a DaemonSet pod is skipped', { ownerKind: 'DaemonSet' }, {}, 'skip'],
  ['a DaemonSet pod with emptyDir data is skipped', { ownerKind: 'DaemonSet', hasEmptyDir: true }, {}, 'skip'],
  ['a finished DaemonSet pod is deleted', { ownerKind: 'DaemonSet', phase: 'Failed' }, {}, 'delete-finished'],
  ['a succeeded pod is deleted', { phase: 'Succeeded', ownerKind: 'Job' }, {}, 'delete-finished'],
  ['a failed bare pod is deleted', { phase: 'Failed', ownerKind: 'none' }, {}, 'delete-finished'],
  ['a terminating pod is waited for', { terminating: true }, {}, 'await'],
  ['a terminating bare pod is waited for', { terminating: true, ownerKind: 'none' }, {}, 'await'],
  ['a bare pod is refused', { ownerKind: 'none' }, {}, 'refuse'],
  ['a bare pod is evicted with force', { ownerKind: 'none' }, { force: true }, 'evict'],
  [
    'a bare pod that we took out of its endpoints is evicted',
    { ownerKind: 'none', unlisted: { by: 'run', originalLabels: {} } },
    {},
    'evict',
  ],
  ['a pod with emptyDir data is refused', { hasEmptyDir: true }, {}, 'refuse'],
  [
    'a pod with emptyDir data is evicted with deleteEmptyDirData',
    { hasEmptyDir: true },
    { deleteEmptyDirData: true },
    'evict',
  ],
  ['force does not allow to lose emptyDir data', { hasEmptyDir: true, ownerKind: 'none' }, { force: true }, 'refuse'],
  [
    'an unlisted pod with emptyDir data is evicted, because it was let go already',
    { hasEmptyDir: true, unlisted: { by: 'run', originalLabels: {} } },
    {},
    'evict',
  ],
];

test.each(cases)('%s', (_, pod, drain, outcome) => {
  const decision = decideDrain(aPod('web-1', 'n1', pod), { ...careful, ...drain });
  expect(decision.outcome).toBe(outcome);
  expect(decision.reason).not.toBe('');
});

test('a refusal names the setting that would allow it', () => {
  expect(decideDrain(aPod('web-1', 'n1', { ownerKind: 'none' }), careful).reason).toContain('spec.drain.force');
  expect(decideDrain(aPod('web-1', 'n1', { hasEmptyDir: true }), careful).reason).toContain(
    'spec.drain.deleteEmptyDirData',
  );
});
