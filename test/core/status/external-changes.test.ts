import { expect, test } from 'vitest';
import { addExternalChanges, allExternalChanges } from '../../../core/status/external-changes.ts';
import { aNode, nodeRefOf } from '../support/facts.ts';

const act = (at: number, what: string) => ({ at, what });

test('a change that is observed again is listed once, with its latest time', () => {
  expect(addExternalChanges([act(1, 'a'), act(2, 'b')], [act(3, 'a'), act(3, 'c')])).toEqual([
    act(2, 'b'),
    act(3, 'a'),
    act(3, 'c'),
  ]);
});

test('of very many changes the latest are listed', () => {
  const many = Array.from({ length: 60 }, (_, index) => act(index, `act ${index}`));
  expect(addExternalChanges([], many)).toEqual(many.slice(-50));
});

test('changes of the run and of its nodes are listed in the order of their observation', () => {
  const node = { node: nodeRefOf(aNode('n1')), step: 'pending', waiting: undefined, evidence: [] } as const;
  const nodes = [{ ...node, externalChanges: [act(2, 'label'), act(4, 'cordon')] }, node];
  expect(allExternalChanges({ externalChanges: [act(3, 'new node')], nodes }).map(({ what }) => what)).toEqual([
    'label',
    'new node',
    'cordon',
  ]);
});
