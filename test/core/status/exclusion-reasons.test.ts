import { describe, expect, test } from 'vitest';
import { describeEvidence, listExclusionReasons } from '../../../core/status/exclusion-reasons.ts';
import type { Evidence, NodeStatus } from '../../../core/status/status.ts';
import { aNode, nodeRefOf } from '../support/facts.ts';

const excluded = (at: number, because?: string): Evidence => ({
  kind: 'excluded',
  at,
  detail: 'label',
  ...(because === undefined ? {} : { because }),
});
const status = (name: string, ...evidence: readonly Evidence[]): NodeStatus => ({
  node: nodeRefOf(aNode(name)),
  step: 'replaced',
  waiting: undefined,
  evidence,
});

test('evidence is shown with its reason, if it has one', () => {
  expect(describeEvidence(excluded(1))).toBe('label');
  expect(describeEvidence(excluded(1, 'it serves nothing'))).toBe('label, because it serves nothing');
});

describe('reasons for exclusions', () => {
  test('are listed once, with their nodes', () => {
    const nodes = [status('n1', excluded(3, 'b')), status('n2', excluded(1, 'a')), status('n3', excluded(2, 'b'))];
    expect(listExclusionReasons(nodes)).toEqual(['a: n2', 'b: n3, n1']);
  });

  test('are those of the last exclusion of a node', () => {
    expect(listExclusionReasons([status('n1', excluded(1, 'a'), excluded(2, 'b'))])).toEqual(['b: n1']);
    expect(listExclusionReasons([status('n1', excluded(1, 'a'), excluded(2))])).toEqual([]);
  });

  test('are left out where there are none', () => {
    expect(listExclusionReasons([status('n1'), status('n2', excluded(1))])).toEqual([]);
  });
});
