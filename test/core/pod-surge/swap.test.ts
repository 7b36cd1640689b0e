import { describe, expect, test } from 'vitest';
import { decideAdoption } from '../../../core/pod-surge/adoption.ts';
import { decideSwaps } from '../../../core/pod-surge/swap.ts';
import { aCluster, aNode, aPod, aPolicy, aWorkload, released, withPodSurge } from '../support/facts.ts';
import type { PodFacts, WorkloadFacts } from '../support/model.ts';

const goes = { pool: 'new', cordoned: true };
const nodes = [aNode('n1'), aNode('n2'), aNode('n7', { pool: 'new' }), aNode('n8', goes), aNode('n9', goes)];
const before = [leaving('web-1', 'n1'), leaving('web-2', 'n2')];
const replacements = [aPod('web-8', 'n8', { ownerUid: 'rs' }), aPod('web-9', 'n9', { ownerUid: 'rs' })];

function leaving(name: string, node: string, changes: Partial<PodFacts> = {}): PodFacts {
  return aPod(name, node, { ...released(name, 'r1'), ...changes });
}

/** The new nodes. */
const fresh = new Set(nodes.filter(({ pool }) => pool === 'new').map(({ uid }) => uid));

function facts(pods: readonly PodFacts[], changes: Partial<WorkloadFacts> = {}) {
  return aCluster({ nodes, pods, workloads: [aWorkload('web', 2, { surge: 1, ...changes })] });
}

function decide(pods: readonly PodFacts[], changes: Partial<WorkloadFacts> = {}) {
  const cluster = facts(pods, changes);
  const policy = aPolicy(withPodSurge());
  const swaps = decideSwaps({ cluster, policy, sharedVolumeClaims: new Set(), run: 'r1', leaving: fresh });
  return swaps.map(({ keeps, pairs }) => ({
    keeps: keeps.map(({ name }) => name),
    pairs: pairs.map(({ release, adopt }) => `${release.pod.name} for ${adopt.name}`),
  }));
}

describe('when a run rolls back', () => {
  test('every replacement on a leaving node is swapped for a pod that it replaced', () => {
    expect(decide([...before, ...replacements])).toEqual([
      { keeps: ['web-1', 'web-2'], pairs: ['web-8 for web-1', 'web-9 for web-2'] },
    ]);
  });

  test('as many pairs are swapped as both sides have, and the pods that stay are protected', () => {
    expect(decide([leaving('web-1', 'n1'), ...replacements])).toEqual([
      { keeps: ['web-1', 'web-9'], pairs: ['web-8 for web-1'] },
    ]);
    const elsewhere = [aPod('web-8', 'n8', { ownerUid: 'rs' }), aPod('web-9', 'n1', { ownerUid: 'rs' })];
    expect(decide([...before, ...elsewhere])).toEqual([{ keeps: ['web-1', 'web-9'], pairs: ['web-8 for web-1'] }]);
  });

  test('pods on new nodes that stay in place of terminated ones stay too', () => {
    const onKept = [aPod('web-7', 'n7', { ownerUid: 'rs' }), aPod('web-8', 'n8', { ownerUid: 'rs' })];
    expect(decide([...before, ...onKept])).toEqual([{ keeps: ['web-1', 'web-7'], pairs: ['web-8 for web-1'] }]);
  });

  test('no pod is adopted that does not serve, and none is released twice', () => {
    expect(decide([leaving('web-1', 'n1', { ready: false }), ...replacements])).toEqual([]);
    expect(decide([...before, leaving('web-8', 'n8'), leaving('web-9', 'n9')])).toEqual([]);
    expect(decide([aPod('web-1', 'n1', released('web-1', 'r2')), ...replacements])).toEqual([]);
  });

  test('a rollout is waited for', () => {
    expect(decide([...before, ...replacements], { rollingOut: true })).toEqual([]);
  });

  test('pods on leaving nodes are not adopted', () => {
    const lost = [leaving('web-8', 'n8')].map((pod) => ({ ...pod, released: { ...present(pod.released), wants: 2 } }));
    expect(decideAdoption(facts(lost), 'r1', { leaving: fresh }).actions).toEqual([]);
    expect(decideAdoption(facts(lost), 'r1').actions.map(({ kind }) => kind)).toEqual(['adopt']);
  });
});

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('not there');
  return value;
}
