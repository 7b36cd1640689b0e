import { describe, expect, test } from 'vitest';
import {
  addedNodes,
  isInPlace,
  keepsTarget,
  membersOf,
  newInstances,
  oldInstances,
  withFound,
} from '../../../core/policy/members.ts';
import type { NodeSelection } from '../../../core/policy/policy.ts';
import { aCluster, aNode, aPolicy } from '../support/facts.ts';

const before = aCluster({ nodes: [aNode('n1'), aNode('n2'), aNode('x', { pool: 'batch' })] });
const named = aPolicy({ target: { poolName: 'web', version: '1.36' } });
const policy = withFound(named, before);

/** The names of the nodes that have each part. */
function partsOf(nodes: readonly ReturnType<typeof aNode>[], asked = policy) {
  const members = membersOf(aCluster({ nodes }), asked);
  const namesIn = (uids: ReadonlySet<string>) => nodes.flatMap(({ name, uid }) => (uids.has(uid) ? [name] : []));
  return { old: namesIn(members.old), new: namesIn(members.new), staying: namesIn(members.staying) };
}

describe('in a pool that is replaced in place', () => {
  test('all nodes are old until preflight has found them', () => {
    expect(partsOf(before.nodes, named)).toEqual({ old: ['n1', 'n2'], new: [], staying: [] });
    expect(policy.found?.map(({ uid }) => uid)).toEqual(['uid-n1', 'uid-n2']);
  });

  test('the nodes that were found are old, and those that came later are new', () => {
    const nodes = [...before.nodes, aNode('n3'), aNode('n1', { uid: 'another', instanceId: 'i-another' })];
    expect(partsOf(nodes)).toEqual({ old: ['n1', 'n2'], new: ['n3', 'n1'], staying: [] });
  });

  test('an old instance that is a node anew, under another UID, is old', () => {
    expect(partsOf([aNode('n1', { uid: 'anew' }), aNode('n3')])).toEqual({ old: ['n1'], new: ['n3'], staying: [] });
  });

  test('nodes without an instance are not taken for each other', () => {
    const [known, other] = [aNode('n1', { instanceId: '' }), aNode('n3', { instanceId: '' })];
    expect(partsOf([known, other], withFound(named, aCluster({ nodes: [known] })))).toMatchObject({ new: ['n3'] });
  });

  test('a second preflight finds them anew', () => {
    const later = aCluster({ nodes: [aNode('n2'), aNode('n3')] });
    expect(withFound(policy, later).found?.map(({ uid }) => uid)).toEqual(['uid-n2', 'uid-n3']);
  });

  test('parts are found once for each observation and list of nodes', () => {
    expect(membersOf(before, policy)).toBe(membersOf(before, policy));
    expect(membersOf(before, policy)).not.toBe(membersOf(before, named));
  });

  test('instances are divided in the same way', () => {
    const instances = ['i-n1', 'i-n2', 'i-n3'].map((instanceId) => ({ instanceId }));
    expect(oldInstances(instances, policy)).toEqual(instances.slice(0, 2));
    expect(newInstances(instances, policy)).toEqual(instances.slice(2));
  });

  test('a drain of that pool is not meant', () => {
    const selection: NodeSelection = { nodes: [{ name: 'n1', uid: 'uid-n1' }], terminate: false };
    expect(isInPlace({ ...named, selection })).toBe(false);
    expect(isInPlace(named)).toBe(true);
  });
});

describe('in a pool that is adopted', () => {
  const adopting = { ...aPolicy(), adoptTarget: true as const };
  const inTarget = (name: string) => aNode(name, { pool: adopting.target.poolName });
  const found = withFound(adopting, aCluster({ nodes: [...before.nodes, inTarget('m1')] }));

  test('all nodes are new, and those that came during the run are known', () => {
    const nodes = [...before.nodes, inTarget('m1'), inTarget('m2')];
    expect(partsOf(nodes, found)).toEqual({ old: ['n1', 'n2'], new: ['m1', 'm2'], staying: [] });
    expect(addedNodes(aCluster({ nodes }), found).map(({ name }) => name)).toEqual(['m2']);
  });

  test('instances of both pools are told apart by their pools', () => {
    const instances = [{ instanceId: 'i-m1' }, { instanceId: 'i-m2' }];
    expect(newInstances(instances, found)).toEqual(instances);
    expect(oldInstances(instances, found)).toEqual(instances);
  });
});

test('only a pool that the run creates may be deleted in the end', () => {
  expect(keepsTarget(aPolicy())).toBe(false);
  expect(keepsTarget({ ...aPolicy(), adoptTarget: true })).toBe(true);
  expect(keepsTarget(named)).toBe(true);
  expect(withFound(aPolicy(), before)).not.toHaveProperty('found');
});
