import { describe, expect, test } from 'vitest';
import type { TargetState } from '../../../core/model/target-group.ts';
import { decideDrained, decideObservedOut } from '../../../core/waits/load-balancers.ts';
import { aGroup, aNode, aTarget, refOf } from '../support/facts.ts';

const node = refOf(aNode('n1'));
const other = refOf(aNode('n2'));
const groupWith = (state: TargetState | undefined, name = 'web') =>
  aGroup(name, [], {
    targets: [aTarget(other), ...(state === undefined ? [] : [aTarget(node, { state, reason: 'Target.Why' })])],
  });

describe('a node is observed out', () => {
  test.each([undefined, 'draining', 'unused'] as const)('when its target is %s', (state) => {
    expect(decideObservedOut(node, [groupWith(state)]).done).toBe(true);
  });

  test.each(['initial', 'healthy', 'unhealthy', 'unavailable'] as const)('but not while its target is %s', (state) => {
    const decision = decideObservedOut(node, [groupWith(state)]);
    expect(decision).toEqual({ done: false, reason: `n1 is still a target of k8s-web: ${state} (Target.Why)` });
  });

  test('only when every target group has let go', () => {
    expect(decideObservedOut(node, [groupWith('draining'), groupWith('healthy', 'api')]).done).toBe(false);
    expect(decideObservedOut(node, [groupWith('draining'), groupWith(undefined, 'api')]).done).toBe(true);
  });

  test('only when every port of the node has left a group', () => {
    const targets = [aTarget(node, { state: 'draining' }), aTarget(node, { port: 31_000 })];
    expect(decideObservedOut(node, [aGroup('web', [], { targets })]).done).toBe(false);
  });

  test('at once when no load balancer knows it', () => {
    expect(decideObservedOut(node, [])).toEqual({ done: true, reason: 'n1 is in no target group' });
  });
});

describe('a node is drained', () => {
  test.each([
    ['when the timer is over and its target is gone', undefined, 100, true],
    ['when the timer is over and its target is unused', 'unused', 100, true],
    ['not before the timer is over, though its target is gone', undefined, 99, false],
    ['not while its target drains, though the timer is over', 'draining', 100, false],
  ] as const)('%s', (_, state, now, done) => {
    expect(decideDrained(node, [groupWith(state)], now, 100)).toMatchObject({ done, backIn: false });
  });

  test('says how long the timer runs and who drains', () => {
    const { reason } = decideDrained(node, [groupWith('draining')], 0, 90_000);
    expect(reason).toBe('connections may live for another 1 m 30 s; n1 drains from k8s-web: draining (Target.Why)');
  });

  test.each(['initial', 'healthy', 'unhealthy'] as const)(
    'and is told to be back in when its target is %s again',
    (state) => {
      const decision = decideDrained(node, [groupWith(state)], 200, 100);
      expect(decision).toMatchObject({ done: false, backIn: true });
      expect(decision.reason).toContain('n1 is back in k8s-web');
    },
  );
});
