import { describe, expect, test } from 'vitest';
import { decideRegisteredAgain } from '../../../core/waits/registered-again.ts';
import { aGroup, aNode, anObservation, aPod, aPolicy, aService, aTarget, onePodOnEach } from '../support/facts.ts';
import type { TargetGroupFacts, TargetState } from '../support/model.ts';

const [node, near] = [aNode('n1'), aNode('n2')];
const upgrading = aPolicy();

interface Scene {
  readonly own: TargetState | 'absent';
  readonly near?: TargetState;
  readonly group?: Partial<TargetGroupFacts>;
  /** The node hosts an endpoint. */
  readonly hosts?: boolean;
  readonly waitedMs?: number;
}

function decide({ own, near: other = 'healthy', group = {}, hosts = true, waitedMs = 0 }: Scene) {
  const pods = hosts ? onePodOnEach('web', [node, near]) : [aPod('web-2', near.name)];
  const targets = [...(own === 'absent' ? [] : [aTarget(node, { state: own })]), aTarget(near, { state: other })];
  const facts = anObservation({ nodes: [node, near], pods, services: [aService('web', pods)] }, [
    aGroup('web', [node, near], { deregistrationDelayMs: 600_000, targets, ...group }),
  ]);
  return decideRegisteredAgain(node, facts, upgrading, { waitedMs, deadlineMs: 120_000 });
}

const hostsOnly = { membership: 'hosts-only', returnsAfterDrain: true } as const;

describe('a restored node', () => {
  test.each([
    ['is back as soon as it is a target', { own: 'initial' }, true],
    ['is not back while it is none', { own: 'absent' }, false],
    ['is not back while it drains', { own: 'draining' }, false],
    [
      'is not back while it drains, though it will be registered after that',
      { own: 'draining', group: hostsOnly },
      false,
    ],
    ['nor when all others drain as well', { own: 'draining', near: 'draining', group: hostsOnly }, false],
    ['is not waited for where it hosts no endpoint', { own: 'absent', group: hostsOnly, hosts: false }, true],
    ['is not waited for where targets are drawn', { own: 'absent', group: { membership: 'subset' } }, true],
  ] as const)('%s', (_, scene, done) => {
    expect(decide(scene).done).toBe(done);
  });

  test('is not said to be registered where it still drains', () => {
    const group = { membership: 'subset', returnsAfterDrain: true } as const;
    expect(decide({ own: 'healthy', group }).reason).toBe('registered in k8s-web');
    expect(decide({ own: 'draining', group }).reason).toBe('in no load balancer');
  });

  test.each([
    ['counts from the end of the drain', hostsOnly, 719_000, true],
    ['ends after that', hostsOnly, 720_000, false],
    ['counts from the beginning where a node is registered at once', {}, 120_000, false],
  ] as const)('has a deadline that %s', (_, group, waitedMs, isSelfResolving) => {
    expect(decide({ own: 'absent', group, waitedMs }).isSelfResolving).toBe(isSelfResolving);
  });
});
