import { describe, expect, test } from 'vitest';
import { takesNode } from '../../../core/waits/registration.ts';
import { aCluster, aGroup, aNode, aPod, aService, aTarget } from '../support/facts.ts';
import type { NodeFacts, TargetGroupFacts, TargetState } from '../support/model.ts';

const fresh = aNode('new', { pool: 'new' });
const near = aNode('near');
const far = aNode('far', { zone: 'b' });

function takes(
  states: readonly (readonly [NodeFacts, TargetState])[],
  peers = [near, far],
  zones = ['a', 'b'],
  { hosts = [], ...change }: Partial<TargetGroupFacts> & { readonly hosts?: readonly NodeFacts[] } = {},
) {
  const targets = states.map(([node, state]) => aTarget(node, { state }));
  const pods = hosts.map(({ name }, index) => aPod(`web-${index}`, name));
  const cluster = aCluster({ nodes: [fresh, ...peers], pods, services: [aService('web', pods)] });
  const group = aGroup('web', [], { targets, zones, ...change });
  return takesNode(fresh, group, peers, cluster);
}

test('a target group is expected to register a node if it has those in its zone', () => {
  expect(takes([[near, 'unhealthy']])).toBe(true);
  expect(takes([[far, 'healthy']])).toBe(false);
  expect(
    takes([
      [near, 'unused'],
      [far, 'healthy'],
    ]),
  ).toBe(false);
});

test('without nodes in its zone, if it has the others and covers the zone', () => {
  expect(takes([[far, 'healthy']], [far])).toBe(true);
  expect(takes([], [far])).toBe(false);
  expect(takes([[far, 'healthy']], [far], ['b'])).toBe(false);
});

test('without any similar node it is expected; excluded nodes do not count', () => {
  expect(takes([], [])).toBe(true);
  expect(takes([], [aNode('near', { excluded: true })])).toBe(true);
});

test('a node whose exclude label says no does not count where only the label counts', () => {
  const denying = aNode('near', { deniesExclusion: true });
  expect(takes([], [denying], ['a', 'b'], { ignoresLabelValue: true })).toBe(true);
  expect(takes([], [denying])).toBe(false);
});

describe('a target group that has only hosts of an endpoint', () => {
  const hosting = (...hosts: NodeFacts[]) => ({ membership: 'hosts-only' as const, hosts });

  test('is not expected to register a node that hosts none, whatever others it has', () => {
    expect(takes([[near, 'healthy']], [near, far], ['a', 'b'], hosting(near))).toBe(false);
    expect(takes([], [], ['a', 'b'], hosting())).toBe(false);
  });

  test('is expected to register one that hosts an endpoint, as it has other hosts in its zone', () => {
    expect(takes([[near, 'healthy']], [near, far], ['a', 'b'], hosting(fresh, near))).toBe(true);
    expect(takes([[far, 'healthy']], [near, far], ['a', 'b'], hosting(fresh, near, far))).toBe(false);
  });

  test('is not judged by nodes that host none', () => {
    expect(takes([[far, 'healthy']], [near, far], ['a', 'b'], hosting(fresh, far))).toBe(true);
    expect(takes([], [near, far], ['a', 'b'], hosting(fresh))).toBe(true);
    expect(takes([], [near, far], ['b'], hosting(fresh))).toBe(false);
  });
});

test('no node in particular is expected in a target group that draws its targets', () => {
  expect(takes([[near, 'healthy']], [near, far], ['a', 'b'], { membership: 'subset', hosts: [fresh, near] })).toBe(
    false,
  );
});
