import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InstanceFacts } from '../../../core/model/pool.ts';
import { countKept, decideScaleIn, selectExcess } from '../../../core/plan/scale-in.ts';
import { aCluster, aNode, aPod, aPolicy } from '../support/facts.ts';

const zones = ['a', 'b', 'c'];
const policy = aPolicy({ pool: { ...aPolicy().pool, name: 'old' }, target: { ...aPolicy().target, poolName: 'new' } });

/** New nodes by zone, each with so many pods. */
function nodesWith(shape: readonly { readonly zone: string; readonly pods: number }[]) {
  const nodes = shape.map(({ zone }, index) => aNode(`n${index}`, { pool: 'new', zone }));
  const pods = shape.flatMap(({ pods: count }, index) =>
    Array.from({ length: count }, (_, pod) => aPod(`web-${index}${pod}`, `n${index}`)),
  );
  return { nodes, pods };
}

function choose({ nodes, pods }: ReturnType<typeof nodesWith>, keep: number): readonly string[] {
  return selectExcess({ cluster: aCluster({ nodes, pods }), policy, zones, keep }).map(({ name }) => name);
}

test('new nodes with the fewest pods leave first, and zones stay even', () => {
  const shape = nodesWith([
    { zone: 'a', pods: 3 },
    { zone: 'a', pods: 2 },
    { zone: 'b', pods: 1 },
    { zone: 'b', pods: 0 },
  ]);
  expect(choose(shape, 2)).toEqual(['n3', 'n1']);
  expect(choose(shape, 0)).toEqual(['n3', 'n2', 'n1', 'n0']);
  expect(choose(shape, 4)).toEqual([]);
});

test('nodes that were selected are selected again when some have gone, wherever pods have moved meanwhile', () => {
  const node = fc.record({ zone: fc.constantFrom(...zones), pods: fc.nat(3) });
  fc.assert(
    fc.property(fc.array(node, { minLength: 1, maxLength: 9 }), fc.nat(9), fc.nat(9), (shape, keep, gone) => {
      const before = nodesWith(shape);
      const chosen = choose(before, keep);
      const left = before.nodes
        .filter(({ name }) => !chosen.slice(0, gone).includes(name))
        .map((one) => ({ ...one, cordoned: chosen.includes(one.name) }));
      const pods = left.flatMap(({ name, cordoned }) =>
        cordoned ? [aPod(`late-${name}`, name), aPod(`later-${name}`, name)] : [],
      );
      expect(choose({ nodes: left, pods }, keep).toSorted()).toEqual(chosen.slice(gone).toSorted());
    }),
  );
});

test('instances that never became nodes end at once, and those that are ending anyway are left alone', () => {
  const { nodes } = nodesWith([{ zone: 'a', pods: 1 }]);
  const [joined] = nodes;
  if (joined === undefined) throw new Error('no node');
  const instance = (instanceId: string, state: InstanceFacts['state']): InstanceFacts => ({
    instanceId,
    zone: 'a',
    state,
  });
  const question = { cluster: aCluster({ nodes }), policy, zones, keep: 1 };
  const { excess, unjoined } = decideScaleIn(question, [
    instance(joined.instanceId, 'running'),
    instance('i-booting', 'pending'),
    instance('i-lost', 'running'),
    instance('i-ending', 'terminating'),
    instance('i-gone', 'terminated'),
  ]);
  expect(excess).toEqual([]);
  expect(unjoined).toEqual(['i-booting', 'i-lost']);
});

test('nodes that the pool had before the run stay, in addition to those that stand in for old ones', () => {
  const nodes = ['a', 'a', 'b', 'b'].map((zone, index) => aNode(`n${index}`, { pool: 'new', zone }));
  const found = nodes.slice(0, 2).map(({ uid, instanceId }) => ({ uid, instanceId }));
  const adopting = { ...policy, adoptTarget: true as const, found };
  const leaving = (keep: number) =>
    selectExcess({ cluster: aCluster({ nodes }), policy: adopting, zones, keep }).map(({ name }) => name);
  expect([0, 1, 2].map(leaving)).toEqual([['n3', 'n2'], ['n3'], []]);
  const gone = aCluster({ nodes: nodes.slice(1) });
  const instances = nodes.map(({ instanceId, zone }) => ({ instanceId, zone, state: 'running' as const }));
  expect(decideScaleIn({ cluster: gone, policy: adopting, zones, keep: 2 }, instances).unjoined).toEqual([]);
});

test('a new node stays for each old one that is missing, less those that the old pool has got again', () => {
  const old = (name: string, changes = {}) => aNode(name, { pool: 'old', ...changes });
  const nodes = [old('stayed'), old('back'), old('starting', { ready: false }), aNode('new', { pool: 'new' })];
  const back = { policy, known: [old('stayed').instanceId] };
  expect([0, 1, 3].map((keep) => countKept(keep, aCluster({ nodes }), back))).toEqual([0, 0, 2]);
});
