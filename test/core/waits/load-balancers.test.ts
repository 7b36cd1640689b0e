import { describe, expect, test } from 'vitest';
import {
  decideConnectionsDrained,
  decideDeregistered,
  findReregistered,
  needsLabelAgain,
} from '../../../core/waits/load-balancers.ts';
import { aGroup, aNode, anObservation, aPolicy, aTarget, nodeRefOf } from '../support/facts.ts';
import type { TargetState } from '../support/model.ts';

const node = nodeRefOf(aNode('n1'));
const other = nodeRefOf(aNode('n2'));
const groupWith = (state: TargetState | undefined, name = 'web') =>
  aGroup(name, [], {
    targets: [aTarget(other), ...(state === undefined ? [] : [aTarget(node, { state, reason: 'Target.Why' })])],
  });

const deregistered = (groups: Parameters<typeof decideDeregistered>[1], excludedForMs = 0) =>
  decideDeregistered(node, groups, { excludedForMs, deadlineMs: 120_000 });

/** A target of the node in a group that says of no target that it drains if it is unhealthy. */
const hiding = (state: TargetState, deregistrationDelayMs = 300_000) => ({
  ...groupWith(state),
  returnsAfterDrain: true,
  deregistrationDelayMs,
});

describe('a node is deregistered', () => {
  test.each([undefined, 'draining', 'unused'] as const)('when its target is %s', (state) => {
    expect(deregistered([groupWith(state)]).done).toBe(true);
  });

  test.each(['initial', 'healthy', 'unhealthy', 'unhealthy.draining', 'unavailable'] as const)(
    'but not while its target is %s',
    (state) => {
      const decision = deregistered([groupWith(state)]);
      const reason = `n1 is still a target of k8s-web: ${state} (Target.Why)`;
      expect(decision).toEqual({ done: false, reason, isSelfResolving: false });
    },
  );

  test('only when it is deregistered from every target group', () => {
    expect(deregistered([groupWith('draining'), groupWith('healthy', 'api')]).done).toBe(false);
    expect(deregistered([groupWith('draining'), groupWith(undefined, 'api')]).done).toBe(true);
  });

  test('only when every port of the node has left a group', () => {
    const targets = [aTarget(node, { state: 'draining' }), aTarget(node, { port: 31_000 })];
    expect(deregistered([aGroup('web', [], { targets })]).done).toBe(false);
  });

  test('at once when it is in no target group', () => {
    expect(deregistered([])).toMatchObject({ done: true, reason: 'n1 is in no target group' });
  });

  test('not while it may be draining unseen, for which the deadline waits as long as that may take', () => {
    expect(deregistered([hiding('unhealthy')], 419_999)).toMatchObject({ done: false, isSelfResolving: true });
    expect(deregistered([hiding('unhealthy')], 420_000)).toMatchObject({ done: false, isSelfResolving: false });
    expect(deregistered([hiding('healthy')])).toMatchObject({ done: false, isSelfResolving: false });
    const two = [hiding('unhealthy'), groupWith('healthy', 'api')];
    expect(deregistered(two)).toMatchObject({ done: false, isSelfResolving: false });
  });
});

describe('the connections of a node have drained', () => {
  test.each([
    ['when the timer is over and its target is gone', undefined, 100, true],
    ['when the timer is over and its target is unused', 'unused', 100, true],
    ['not before the timer is over, though its target is gone', undefined, 99, false],
    ['not while its target drains, though the timer is over', 'draining', 100, false],
  ] as const)('%s', (_, state, now, done) => {
    expect(decideConnectionsDrained(node, [groupWith(state)], now, 100)).toMatchObject({ done, reregistered: false });
  });

  test('with a reason that says how long the timer runs and which target group drains', () => {
    const { reason } = decideConnectionsDrained(node, [groupWith('draining')], 0, 90_000);
    expect(reason).toBe('connections may continue for another 1m 30s; n1 drains from k8s-web: draining (Target.Why)');
  });

  test.each(['initial', 'healthy', 'unhealthy', 'unhealthy.draining'] as const)(
    'and is told to be back in when its target is %s again',
    (state) => {
      const decision = decideConnectionsDrained(node, [groupWith(state)], 200, 100);
      expect(decision).toMatchObject({ done: false, reregistered: true });
      expect(decision.reason).toContain('n1 is back in k8s-web');
    },
  );
});

test('a node that drains unseen has not come back, and its connections have not drained', () => {
  const decision = decideConnectionsDrained(node, [hiding('unhealthy')], 200, 100);
  expect(decision).toMatchObject({ done: false, reregistered: false });
  expect(decision.reason).toBe('n1 drains from k8s-web: unhealthy (Target.Why)');
});

/** An observation of the node with its label, and of one of its targets. */
const labelled = (state: TargetState | undefined, changes: Parameters<typeof aNode>[1] = {}) =>
  anObservation({ nodes: [aNode('n1', { excluded: true, ...changes })] }, [groupWith(state)]);

describe('a node whose connections have drained', () => {
  test.each([
    ['is out while no load balancer lists it', labelled(undefined), undefined],
    ['is out while its target is unused', labelled('unused'), undefined],
    ['is back in once its target serves', labelled('healthy'), 'n1 is back in k8s-web: healthy (Target.Why)'],
    ['was back in when its target drains again', labelled('draining'), 'n1 is back in k8s-web: draining (Target.Why)'],
    [
      'is about to be back in without its label',
      labelled(undefined, { excluded: false }),
      'somebody removed the exclude label of n1',
    ],
    ['is of no interest once another has its name', labelled('healthy', { uid: 'other' }), undefined],
    ['is of no interest once it is gone', anObservation({}, [groupWith('healthy')]), undefined],
  ])('%s', (_, facts, reason) => {
    expect(findReregistered(node, facts, aPolicy())).toBe(reason);
  });

  test('is not checked in load balancers without the rule, but its label is', () => {
    const policy = aPolicy({ disabledRules: ['wait-for-deregistration'] });
    expect(findReregistered(node, labelled('healthy'), policy)).toBeUndefined();
    expect(findReregistered(node, labelled('healthy', { excluded: false }), policy)).toBeDefined();
  });
});

describe('the label is set again', () => {
  const needs = (facts: ReturnType<typeof anObservation>, labelledForMs = 40_000) =>
    needsLabelAgain(node, facts, labelledForMs, 40_000);

  test.each(['initial', 'healthy', 'unhealthy', 'unavailable'] as const)(
    'when it has been on for long enough and the target is still %s',
    (state) => {
      expect(needs(labelled(state))).toBe(true);
      expect(needs(labelled(state), 39_999)).toBe(false);
    },
  );

  test.each([undefined, 'draining', 'unused', 'unhealthy.draining'] as const)(
    'but not while the target is %s',
    (state) => {
      expect(needs(labelled(state))).toBe(false);
    },
  );

  test('later where the target may be draining unseen', () => {
    const facts = anObservation({ nodes: [aNode('n1', { excluded: true })] }, [hiding('unhealthy', 300_000)]);
    expect(needs(facts, 339_999)).toBe(false);
    expect(needs(facts, 340_000)).toBe(true);
  });

  test('but not when it is not on, and not on another node of that name', () => {
    expect(needs(labelled('healthy', { excluded: false }))).toBe(false);
    expect(needs(labelled('healthy', { uid: 'other' }))).toBe(false);
  });
});
