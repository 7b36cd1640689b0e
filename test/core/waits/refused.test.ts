import { expect, test } from 'vitest';
import { findRefused, findRefusedBehind, hintRefused, noteRefused } from '../../../core/waits/refused.ts';
import { aBudget, aNode, anObservation, aPod, aService, aWorkload } from '../support/facts.ts';
import type { PodFacts, WorkloadFacts } from '../support/model.ts';

const says = 'pods "web-x" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=4, limited: pods=4';
const owned = { ownerName: 'web-1', ownerWants: 2, workload: 'Deployment default/web' };

function find(pods: readonly PodFacts[], more: Partial<WorkloadFacts> = { refused: says }) {
  const web = aWorkload('web', 2, more);
  return findRefused([web], anObservation({ nodes: [aNode('n1')], pods, workloads: [web] }).cluster);
}

test('a workload that lacks a pod and was refused one is found, with a pod whose change makes it retry', () => {
  const found = find([aPod('web-1', 'n1', owned), aPod('web-2', 'n1', { ...owned, terminating: true })]);
  expect(found).toMatchObject([{ workload: 'Deployment default/web', reason: says, wake: { name: 'web-1' } }]);
  expect(noteRefused(found)).toContain(`no more pods of Deployment default/web can be created: ${says}`);
  expect(hintRefused(found)).toMatch(
    /raise the quota in the message.*The run makes its ReplicaSet retry every 10 seconds/,
  );
});

test('one that has all its pods, or was refused none, is not', () => {
  const whole = [aPod('web-1', 'n1', owned), aPod('web-2', 'n1', owned)];
  expect(find(whole)).toEqual([]);
  expect(find(whole.slice(1), {})).toEqual([]);
  expect(hintRefused([])).toBeUndefined();
});

test('no pod is changed of a ReplicaSet that has enough, nor one whose deletion cost was raised', () => {
  const old = aPod('web-0', 'n1', { ...owned, ownerName: 'web-0', ownerWants: 1 });
  const dear = aPod('web-1', 'n1', { ...owned, costRaisedBy: 'run' });
  for (const pods of [[old], [dear], []]) {
    const found = find(pods);
    expect(found).toMatchObject([{ wake: undefined }]);
    expect(hintRefused(found)).toMatch(/has no pod, and retries within 17 minutes/);
  }
});

test('one that needs a pod for its rollout is found although it has all replicas', () => {
  const whole = [aPod('web-1', 'n1', owned), aPod('web-2', 'n1', owned)];
  expect(find(whole, { refused: says, rollingOut: true })).toMatchObject([{ reason: says }]);
});

test('for a blocked node only the workloads of the Service or budget that blocks it are found', () => {
  const pods = [aPod('web-1', 'n1', owned)];
  const workloads = ['web', 'api'].map((name) => aWorkload(name, 2, { refused: says }));
  const { cluster } = anObservation({
    nodes: [aNode('n1')],
    pods,
    workloads,
    services: [aService('web', pods)],
    budgets: [aBudget('any', pods, 2)],
  });
  const found = (block: Parameters<typeof findRefusedBehind>[0]) =>
    findRefusedBehind(block, cluster).map(({ workload }) => workload);
  expect(found({ service: 'default/web' })).toEqual(['Deployment default/web']);
  expect(found({ budget: 'default/any' })).toEqual(['Deployment default/web']);
  expect(found({ service: 'default/other', budget: 'default/other' })).toEqual([]);
  expect(found({})).toEqual([]);
});
