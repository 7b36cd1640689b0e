import { expect, test } from 'vitest';
import type { PodFacts } from '../../../core/model/pod.ts';
import { decideReplacementsServing, snapshotEndpoints } from '../../../core/waits/replacements.ts';
import { aBudget, aGroup, aLook, aNode, aPod, aService, aServicePlan, aTarget, refOf } from '../support/facts.ts';

const n1 = aNode('n1', { excluded: true });
const n2 = aNode('n2');
const fresh = aNode('new', { pool: 'web-1-34' });
const services = [aServicePlan('web')];

function look(pods: readonly PodFacts[], options: { newState?: 'healthy' | 'initial'; expectedPods?: number } = {}) {
  const targets = [aTarget(n2), aTarget(fresh, { state: options.newState ?? 'healthy' })];
  const budgets =
    options.expectedPods === undefined ? [] : [{ ...aBudget('web', pods, 1), expectedPods: options.expectedPods }];
  return aLook({ nodes: [n1, n2, fresh], pods, budgets, services: [aService('web', pods)] }, [
    aGroup('web', [], { targets }),
  ]);
}

const stay = aPod('web-2', 'n2');
const before = { 'default/web': 2 };
const decide = (facts: ReturnType<typeof look>, policy: 'Local' | 'Cluster' = 'Local') =>
  decideReplacementsServing({
    facts,
    services: [aServicePlan('web', { externalTrafficPolicy: policy })],
    before,
    oldPool: 'web',
  });

test('the snapshot counts Services that have a ready endpoint on the node, and no others', () => {
  const pods = [aPod('web-1', 'n1'), stay, aPod('api-1', 'n2')];
  const facts = aLook({ nodes: [n1, n2], pods, services: [aService('web', pods), aService('api', pods)] });
  expect(snapshotEndpoints(refOf(n1), facts, [aServicePlan('web'), aServicePlan('api')])).toEqual({ 'default/web': 2 });
});

test('replacements serve once they are Ready and their node is healthy in the load balancer', () => {
  expect(decide(look([stay, aPod('web-3', 'new')]))).toEqual({
    done: true,
    reason: 'default/web has 2 of 2 ready endpoints',
  });
});

test('a Ready replacement does not serve while its node is not healthy under Local', () => {
  const facts = look([stay, aPod('web-3', 'new')], { newState: 'initial' });
  expect(decide(facts)).toEqual({ done: false, reason: 'default/web: new not healthy in its load balancer yet' });
  expect(decide(facts, 'Cluster').done).toBe(true);
});

test('fewer ready endpoints than before are waited for, and a pod that cannot be placed is named', () => {
  const pending = aPod('web-3', undefined, { ready: false, phase: 'Pending', unschedulableReason: 'Insufficient cpu' });
  expect(decide(look([stay, pending]))).toEqual({
    done: false,
    reason: "default/web has 1 of 2 ready endpoints; pod web-3 can't be placed: Insufficient cpu",
  });
});

test('a workload that was scaled down meanwhile need not come back to what it was', () => {
  expect(decide(look([stay], { expectedPods: 1 })).done).toBe(true);
  expect(decide(look([stay], { expectedPods: 2 })).done).toBe(false);
});

test('a Service that is gone, or had nothing on the node, is not waited for', () => {
  expect(decideReplacementsServing({ facts: look([]), services, before: {}, oldPool: 'web' }).done).toBe(true);
  expect(decideReplacementsServing({ facts: aLook({}), services, before, oldPool: 'web' }).done).toBe(true);
});
