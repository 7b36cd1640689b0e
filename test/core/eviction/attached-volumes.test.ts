import { expect, test } from 'vitest';
import { decideVolumesDetached, remainingClaims } from '../../../core/eviction/attached-volumes.ts';
import { aCluster, aNode, aPod, nodeRefOf } from '../support/facts.ts';

const node = nodeRefOf(aNode('n1'));
const attached = (...volumes: readonly string[]) =>
  volumes.map((volume) => ({ node: 'n1', volume, name: `csi-${volume}` }));
const agent = { ownerKind: 'DaemonSet', volumeClaims: ['cache'] } as const;

test('volumes of pods that left are waited for, and named', () => {
  const facts = aCluster({
    volumeAttachments: [...attached('pv-1', 'pv-2'), { node: 'n2', volume: 'pv-3', name: 'c' }],
  });
  expect(decideVolumesDetached(node, facts, [])).toEqual({
    done: false,
    reason: 'n1 still has attached volumes: pv-1, pv-2',
  });
});

test('volumes of pods that stay on the node are not', () => {
  const facts = aCluster({ volumeAttachments: attached('pv-1', 'pv-2') });
  expect(decideVolumesDetached(node, facts, [{ volume: 'pv-1' }])).toMatchObject({
    done: false,
    reason: expect.stringMatching(/: pv-2$/),
  });
  expect(decideVolumesDetached(node, facts, [{ volume: 'pv-1' }, { volume: 'pv-2' }])).toMatchObject({ done: true });
});

test('an inline volume of a pod has no name of its own and counts', () => {
  const facts = aCluster({ volumeAttachments: [{ node: 'n1', volume: undefined, name: 'csi-9' }] });
  expect(decideVolumesDetached(node, facts, [{ volume: 'pv-1' }])).toMatchObject({
    done: false,
    reason: expect.stringContaining('csi-9'),
  });
});

test('those who stay are DaemonSet pods, whatever their state, and static ones', () => {
  const pods = [
    aPod('agent-1', 'n1', agent),
    aPod('agent-2', 'n1', { ...agent, volumeClaims: ['other'], terminating: true, killedAt: 0 }),
    aPod('agent-3', 'n2', { ...agent, volumeClaims: ['elsewhere'] }),
    aPod('old-1', 'n1', { ...agent, volumeClaims: ['orphaned'], orphaned: true }),
    aPod('static', 'n1', { mirror: true, volumeClaims: ['static'] }),
    aPod('web-1', 'n1', { volumeClaims: ['data'], terminating: true, killedAt: 0, stopped: true }),
  ];
  const names = remainingClaims(node, aCluster({ pods, volumeAttachments: attached('pv-1') }), 0);
  expect(names).toEqual(['cache', 'other', 'static'].map((name) => ({ namespace: 'default', name })));
});

test('claims need not be read while no volume is attached to the node', () => {
  const elsewhere = [{ node: 'n2', volume: 'pv-1', name: 'csi-1' }];
  const pods = [aPod('agent-1', 'n1', agent)];
  expect(remainingClaims(node, aCluster({ pods, volumeAttachments: elsewhere }), 0)).toEqual([]);
});
