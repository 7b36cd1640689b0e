import { expect, test } from 'vitest';
import { groupsThatAwaitCordon } from '../../../core/waits/cordon-change.ts';
import { aGroup, aNode, anObservation, aService, aTarget, onePodOnEach } from '../support/facts.ts';
import type { NodeFacts, TargetGroupFacts, TargetState } from '../support/model.ts';

const withCordon = { readsLabelWithCordon: true } as const;

function ask(node: Partial<NodeFacts>, state: TargetState | 'absent', group: Partial<TargetGroupFacts> = withCordon) {
  const seen = aNode('n1', node);
  const pods = onePodOnEach('web', [seen]);
  const targets = state === 'absent' ? [] : [aTarget(seen, { state })];
  const facts = anObservation({ nodes: [seen], pods, services: [aService('web', pods)] }, [
    aGroup('web', [seen], { targets, ...group }),
  ]);
  return groupsThatAwaitCordon(aNode('n1'), facts).length > 0;
}

const excluded = { cordoned: true, excluded: true };
const included = { cordoned: true, excluded: false };

test.each([
  ['an excluded node that is still a target', excluded, 'healthy', true],
  ['an excluded node that is an unhealthy target', excluded, 'unhealthy', true],
  ['an excluded node that drains', excluded, 'draining', false],
  ['an excluded node that has left', excluded, 'absent', false],
  ['a node that is included again and no target yet', included, 'absent', true],
  ['a node that is included again and drains', included, 'draining', true],
  ['a node that is included again and a target', included, 'healthy', false],
  ['a node without a cordon', { cordoned: false, excluded: true }, 'healthy', false],
  ['another node of the same name', { ...excluded, uid: 'another' }, 'healthy', false],
] as const)('a controller that reads the label with the cordon: %s', (_, node, state, awaited) => {
  expect(ask(node, state)).toBe(awaited);
});

test('other controllers read the label by itself', () => {
  expect(ask(excluded, 'healthy', {})).toBe(false);
});
