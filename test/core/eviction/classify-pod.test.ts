import { expect, test } from 'vitest';
import { classifyPod } from '../../../core/eviction/classify-pod.ts';
import type { DrainPolicy } from '../../../core/policy/policy.ts';
import { aPod, released } from '../support/facts.ts';
import type { PodFacts } from '../support/model.ts';

const careful: DrainPolicy = {
  deleteEmptyDirData: false,
  force: false,
  doNotDisrupt: 'refuse',
  jobs: 'evict',
  unreachableNodes: 'ask',
  keepEndpoints: [],
};
const now = 1_000_000;
const hanging = { terminating: true, killedAt: now - 60_000 } as const;
const orphaned = { ownerKind: 'DaemonSet', ownerName: 'agent', orphaned: true } as const;
const bothAnnotations = { doNotDisrupt: 'for-good', safeToEvict: 'true' } as const;
const jobWithData = { ownerKind: 'Job', hasEmptyDir: true } as const;

const cases: readonly (readonly [string, Partial<PodFacts>, Partial<DrainPolicy>, string])[] = [
  ['a ReplicaSet pod is evicted', {}, {}, 'evict'],
  ['a StatefulSet pod is evicted', { ownerKind: 'StatefulSet' }, {}, 'evict'],
  ['a Job pod is evicted', { ownerKind: 'Job' }, {}, 'evict'],
  ['a pod of an unknown controller is evicted', { ownerKind: 'other' }, {}, 'evict'],
  ['a mirror pod is skipped', { mirror: true, ownerKind: 'Node' }, {}, 'skip'],
  ['a mirror pod is skipped even while it is terminating', { mirror: true, terminating: true }, {}, 'skip'],
  ['a DaemonSet pod is skipped', { ownerKind: 'DaemonSet' }, {}, 'skip'],
  ['a DaemonSet pod with emptyDir data is skipped', { ownerKind: 'DaemonSet', hasEmptyDir: true }, {}, 'skip'],
  ['a finished DaemonSet pod is left to its DaemonSet', { ownerKind: 'DaemonSet', phase: 'Failed' }, {}, 'skip'],
  ['a DaemonSet pod is skipped even while it is stuck terminating', { ownerKind: 'DaemonSet', ...hanging }, {}, 'skip'],
  ['a pod of a DaemonSet that is gone is refused', orphaned, {}, 'refuse'],
  ['a pod of a DaemonSet that is gone is evicted with force', orphaned, { force: true }, 'evict'],
  ['a finished pod of a DaemonSet that is gone is deleted', { ...orphaned, phase: 'Failed' }, {}, 'delete-finished'],
  ['a succeeded pod is deleted', { phase: 'Succeeded', ownerKind: 'Job' }, {}, 'delete-finished'],
  ['a failed bare pod is deleted', { phase: 'Failed', ownerKind: 'none' }, {}, 'delete-finished'],
  ['a terminating pod is waited for', { terminating: true }, {}, 'await'],
  ['a terminating bare pod is waited for', { terminating: true, ownerKind: 'none' }, {}, 'await'],
  ['a bare pod is refused', { ownerKind: 'none' }, {}, 'refuse'],
  ['a bare pod is evicted with force', { ownerKind: 'none' }, { force: true }, 'evict'],
  [
    'a bare pod that was removed from its endpoints is evicted',
    { ownerKind: 'none', endpointsRemoved: { by: 'run', originalLabels: {} } },
    {},
    'evict',
  ],
  ['a bare pod that was released from its ReplicaSet is evicted', released('web-1', 'run'), {}, 'evict'],
  ['a pod with emptyDir data is refused', { hasEmptyDir: true }, {}, 'refuse'],
  [
    'a pod with emptyDir data is evicted with deleteEmptyDirData',
    { hasEmptyDir: true },
    { deleteEmptyDirData: true },
    'evict',
  ],
  ['force does not allow losing emptyDir data', { hasEmptyDir: true, ownerKind: 'none' }, { force: true }, 'refuse'],
  [
    'a pod with emptyDir data that is removed from its endpoints is evicted, because its ReplicaSet has released it already',
    { hasEmptyDir: true, endpointsRemoved: { by: 'run', originalLabels: {} } },
    {},
    'evict',
  ],
  ['a pod past its grace period is waited for a little longer', { ...hanging, killedAt: now - 59_999 }, {}, 'await'],
  ['a pod long past its grace period is stuck', hanging, {}, 'stuck-terminating'],
  [
    'a pod long past its grace period is stuck, whatever its annotations say',
    { ...hanging, safeToEvict: 'true' },
    {},
    'stuck-terminating',
  ],
  ['a pod of which only the object is left does not count', { ...hanging, stopped: true }, {}, 'skip'],
  ['a stopped pod is waited for until its volumes may be detached', { terminating: true, stopped: true }, {}, 'await'],
  ['a pod that is not safe to evict is refused', { safeToEvict: 'false' }, {}, 'refuse'],
  ['a pod that is not safe to evict is waited for', { safeToEvict: 'false' }, { doNotDisrupt: 'wait' }, 'complete'],
  ['a pod that is not safe to evict is evicted', { safeToEvict: 'false' }, { doNotDisrupt: 'evict' }, 'evict'],
  ['force does not override an annotation', { safeToEvict: 'false', ownerKind: 'none' }, { force: true }, 'refuse'],
  ['a pod runs to completion when its owner asks for that', { safeToEvict: 'on-completion' }, {}, 'complete'],
  ['a pod is evicted before its end', { safeToEvict: 'on-completion' }, { doNotDisrupt: 'evict' }, 'evict'],
  ['a bare pod that is safe to evict is evicted', { safeToEvict: 'true', ownerKind: 'none' }, {}, 'evict'],
  ['emptyDir data that is safe to lose is lost', { safeToEvict: 'true', hasEmptyDir: true }, {}, 'evict'],
  ['a pod without DaemonSet that is safe to evict is evicted', { safeToEvict: 'true', ...orphaned }, {}, 'evict'],
  ['a DaemonSet pod that is safe to evict is skipped', { safeToEvict: 'true', ownerKind: 'DaemonSet' }, {}, 'skip'],
  ['a pod that may not be disrupted is refused', { doNotDisrupt: 'for-good' }, {}, 'refuse'],
  ['a pod that may not be disrupted is refused though it is safe', bothAnnotations, {}, 'refuse'],
  ['a pod that may not be disrupted for some time is waited for', { doNotDisrupt: now + 1 }, {}, 'complete'],
  ['a pod that may be disrupted again is evicted', { doNotDisrupt: now }, {}, 'evict'],
  [
    'a finished pod is deleted, whatever its annotations say',
    { safeToEvict: 'false', phase: 'Succeeded' },
    {},
    'delete-finished',
  ],
  ['a Job pod runs to completion when the policy waits', { ownerKind: 'Job' }, { jobs: 'wait' }, 'complete'],
  ['a Job pod that is safe to evict is', { ownerKind: 'Job', safeToEvict: 'true' }, { jobs: 'wait' }, 'evict'],
  ['a Job pod with emptyDir data may keep it to its end', jobWithData, { jobs: 'wait' }, 'complete'],
];

test.each(cases)('%s', (_, pod, drain, outcome) => {
  const decision = classifyPod(aPod('web-1', 'n1', pod), { drain: { ...careful, ...drain }, now });
  expect(decision.outcome).toBe(outcome);
  expect(decision.reason).not.toBe('');
});

function reasonFor(pod: Partial<PodFacts>, silentSince?: number): string {
  return classifyPod(aPod('web-1', 'n1', pod), { drain: careful, now, silentSince }).reason;
}

test.each<[string, Partial<PodFacts>]>([
  ['spec.drain.force', { ownerKind: 'none' }],
  ['spec.drain.force', orphaned],
  ['DaemonSet agent does not exist', orphaned],
  ['spec.drain.deleteEmptyDirData', { hasEmptyDir: true }],
  ['cluster-autoscaler.kubernetes.io/safe-to-evict: "false"', { safeToEvict: 'false' }],
  ['remove the annotation', { doNotDisrupt: 'for-good' }],
])('a refusal says %s', (what, pod) => {
  expect(reasonFor(pod)).toContain(what);
});

test('a pod that is stuck says since when, what may keep it, and what helps', () => {
  const finalizers = ['example.com/a', 'example.com/b'];
  expect(reasonFor({ ...hanging, finalizers })).toBe(
    'it should have ended at 00:15:40, its grace period included; finalizers example.com/a, example.com/b are on it; ' +
      'its containers still run: check them, the kubelet and the container runtime on n1',
  );
  expect(reasonFor(hanging, now - 300_000)).toBe(
    'it should have ended at 00:15:40, its grace period included; the kubelet of n1 has not been heard from since ' +
      '00:11:40: fix it, or terminate the instance if it is lost',
  );
  expect(reasonFor({ ...hanging, finalizers, stopped: true })).toBe(
    'its containers have stopped, and finalizers keep its object (example.com/a, example.com/b)',
  );
});
