import { describe, expect, test } from 'vitest';
import { type BatchQuestion, selectBatch } from '../../../core/pod-surge/select-batch.ts';
import { maxReleased } from '../../../core/pod-surge/surge-limit.ts';
import {
  aCluster,
  aNode,
  aPod,
  aPolicy,
  aWorkload,
  nodeRefOf,
  onePodOnEach,
  released,
  withPodSurge,
} from '../support/facts.ts';
import type { PodFacts } from '../support/model.ts';

const nodes = ['n1', 'n2', 'n3', 'n4'].map((name) => aNode(name));
const one = (app: string) => onePodOnEach(app, nodes, { ownerUid: 'rs' });
const web = aWorkload('web', 4, { surge: 1 });
const api = aWorkload('api', 4, { surge: 2 });

const doubled = { policy: aPolicy(withPodSurge(1)) };

function choose(pods: readonly PodFacts[], changes: Partial<BatchQuestion> = {}): readonly string[] {
  const cluster = aCluster({ nodes, pods, workloads: [web, api] });
  const question = {
    cluster,
    policy: aPolicy(withPodSurge('maxSurge')),
    sharedVolumeClaims: new Set<string>(),
    waiting: nodes.map(nodeRefOf),
    maxNodes: 10,
  };
  return selectBatch({ ...question, ...changes }).map(({ name }) => name);
}

describe('nodes leave together', () => {
  test('all of them when every workload may be doubled', () => {
    expect(choose([...one('web'), ...one('api')], doubled)).toEqual(['n1', 'n2', 'n3', 'n4']);
  });

  test('as many as the lowest surge limit allows', () => {
    expect(choose(one('api'))).toEqual(['n1', 'n2']);
    expect(choose([...one('web'), ...one('api')])).toEqual(['n1']);
    const except = { policy: aPolicy(withPodSurge(1, { 'default/web': { mode: 'auto', max: 0.5 } })) };
    expect(choose([...one('web'), ...one('api')], except)).toEqual(['n1', 'n2']);
  });

  test('no more than may be in progress', () => {
    expect(choose(one('api'), { ...doubled, maxNodes: 3 })).toEqual(['n1', 'n2', 'n3']);
    expect(choose(one('api'), { maxNodes: 0 })).toEqual([]);
  });

  test('later ones that fit when earlier ones do not', () => {
    const pods = [...one('web'), aPod('web-5', 'n2', { ownerUid: 'rs' })].filter(({ node }) => node !== 'n3');
    expect(choose(pods, { policy: aPolicy(withPodSurge(0.5)) })).toEqual(['n1', 'n3', 'n4']);
  });

  test('the first in any case; the rest of its pods is evicted within the budget', () => {
    const crowded = [1, 2, 3].map((index) => aPod(`web-${index}`, 'n1', { ownerUid: 'rs' }));
    expect(choose(crowded)).toEqual(['n1', 'n2', 'n3', 'n4']);
    expect(choose([...crowded, aPod('web-4', 'n2', { ownerUid: 'rs' })])).toEqual(['n1', 'n3', 'n4']);
  });

  test('including those with pods that cannot be surged, which do not count', () => {
    const stateful = one('web').map((pod) => ({ ...pod, ownerKind: 'StatefulSet' as const }));
    expect(choose(stateful)).toEqual(['n1', 'n2', 'n3', 'n4']);
  });

  test('fewer while pods that were released before have not left', () => {
    const before = { ...aPod('api-9', 'n9'), ...released('api-9', 'run-0') };
    expect(choose([...one('api'), before])).toEqual(['n1']);
    expect(choose([...one('api'), { ...before, terminating: true }])).toEqual(['n1', 'n2']);
  });
});

test.each([
  ['maxSurge', 1],
  [0, 0],
  [0.25, 1],
  [0.3, 2],
  [1, 4],
] as const)('limit %s of 4 replicas is %i pods', (limit, expected) => {
  expect(maxReleased(web, { cluster: aCluster({}), policy: aPolicy(withPodSurge(limit)) })).toBe(expected);
});
