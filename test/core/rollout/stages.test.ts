import { describe, expect, test } from 'vitest';
import type { RolloutPolicy } from '../../../core/rollout/rollout.ts';
import { divideIntoStages } from '../../../core/rollout/stages.ts';
import { aNode, nodeRefOf } from '../support/facts.ts';

const zoneOf = { a1: 'a', a2: 'a', b1: 'b', b2: 'b', c1: 'c' } as const;
const nodes = (['b1', 'a1', 'c1', 'a2', 'b2'] as const).map((name) => nodeRefOf(aNode(name, { zone: zoneOf[name] })));

function stages(rollout: Partial<RolloutPolicy> | undefined) {
  const divided = divideIntoStages(nodes, rollout === undefined ? undefined : { zones: [], ...rollout });
  return divided.map(({ nodes: stage, ...rest }) => ({ names: stage.map(({ name }) => name).join(' '), ...rest }));
}

const approvals = { timeoutMs: undefined, onTimeout: 'stall' } as const;

describe('the stages of a run', () => {
  test('are one, in the order of the plan, when the policy says nothing', () => {
    expect(stages(undefined)).toEqual([{ names: 'b1 a1 c1 a2 b2' }]);
    expect(divideIntoStages([], undefined)).toEqual([]);
  });

  test('begin with the canary nodes and their soak', () => {
    expect(stages({ canary: { nodes: 2, soakMs: 60_000 } })).toEqual([
      { names: 'b1 a1', soakMs: 60_000 },
      { names: 'c1 a2 b2' },
    ]);
  });

  test('take one listed zone after another, and all other zones last', () => {
    expect(stages({ zones: ['b', 'a'] })).toEqual([{ names: 'b1 b2' }, { names: 'a1 a2' }, { names: 'c1' }]);
    expect(stages({ zones: ['a', 'nowhere'] })).toEqual([{ names: 'a1 a2' }, { names: 'b1 c1 b2' }]);
  });

  test('take the canary nodes from the first zone', () => {
    const [canary, ...rest] = stages({ canary: { nodes: 1, soakMs: 0 }, zones: ['a'] });
    expect(canary).toEqual({ names: 'a1', soakMs: 0 });
    expect(rest.map(({ names }) => names)).toEqual(['a2', 'b1 c1 b2']);
  });

  test('need approval where the policy says so: after the canary nodes, and before each zone except the first', () => {
    const gated = stages({
      canary: { nodes: 1, soakMs: 0 },
      zones: ['a', 'b'],
      approvals: { ...approvals, at: ['start', 'canary', 'zone'] },
    });
    expect(gated.map(({ approval }) => approval)).toEqual([undefined, 'canary', 'zone b', 'zone c']);
    const zonesOnly = stages({ zones: ['a'], approvals: { ...approvals, at: ['zone'] } });
    expect(zonesOnly.map(({ approval }) => approval)).toEqual([undefined, 'zones other than a']);
  });

  test('have every node once, also when the canary takes all of them', () => {
    const all = stages({ canary: { nodes: 9, soakMs: 0 }, zones: ['c'] });
    expect(all).toEqual([{ names: 'c1 b1 a1 a2 b2', soakMs: 0 }]);
  });
});
