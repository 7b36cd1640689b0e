import { describe, expect, test } from 'vitest';
import { decideRestore, decideRestoreRound, type RestoreQuestion } from '../../../core/eviction/restore-pods.ts';
import { aCluster, aNode, aPod, aPolicy, aService, endpointOf, nodeRefOf } from '../support/facts.ts';
import type { PodFacts } from '../support/model.ts';

const node = nodeRefOf(aNode('n1'));
const endpointsRemoved = { by: 'run', originalLabels: { app: 'web' } };

describe('restoring pods', () => {
  test('gives a pod its labels back while its controller still owns it', () => {
    expect(decideRestore(node, [aPod('web-1', 'n1', { endpointsRemoved })], 'run')).toMatchObject([
      { kind: 'restore-endpoints' },
    ]);
  });

  test('evicts a pod that its controller has released, because it has been replaced', () => {
    expect(decideRestore(node, [aPod('web-1', 'n1', { endpointsRemoved, ownerKind: 'none' })], 'run')).toMatchObject([
      { kind: 'evict' },
    ]);
  });

  test.each([
    ['of another run', { endpointsRemoved: { ...endpointsRemoved, by: 'other' } }],
    ['that are listed', {}],
    ['that are terminating', { endpointsRemoved, terminating: true }],
  ])('leaves alone pods %s', (_, change) => {
    expect(decideRestore(node, [aPod('web-1', 'n1', change)], 'run')).toEqual([]);
  });

  test('leaves alone pods of other nodes', () => {
    expect(decideRestore(node, [aPod('web-1', 'n2', { endpointsRemoved })], 'run')).toEqual([]);
  });
});

describe('a round of restoring', () => {
  const policy = aPolicy();
  const now = 1_000_000;
  const replaced = aPod('web-1', 'n1', { endpointsRemoved, ownerKind: 'none', labels: {} });
  const long = { [replaced.uid]: 0 };
  const askRound = (change: Partial<RestoreQuestion> = {}, pod: PodFacts = replaced) =>
    decideRestoreRound({
      nodes: [node],
      facts: aCluster({ pods: [pod] }),
      run: 'run',
      policy,
      now,
      removedAt: long,
      drainedAt: {},
      rejected: {},
      ...change,
    });

  test('does not ask at once again for a removal that admission denied', () => {
    const listed = aService('web', []);
    const readded = { ...replaced, labels: { app: 'web' } };
    const facts = aCluster({ pods: [readded], services: [listed] });
    expect(askRound({ facts }, readded).actions).toMatchObject([{ kind: 'remove-endpoints' }]);
    const rejected = { [readded.uid]: { message: 'denied', againAt: now + 1, byAdmission: true } };
    expect(askRound({ facts, rejected }, readded)).toMatchObject({
      actions: [],
      blocked: [{ pod: { uid: readded.uid } }],
    });
  });

  test('restores endpoints at once', () => {
    const owned = aPod('web-1', 'n1', { endpointsRemoved });
    expect(askRound({ removedAt: {} }, owned)).toMatchObject({ actions: [{ kind: 'restore-endpoints' }], blocked: [] });
  });

  test('evicts a pod only once it is out of its endpoints and that has propagated', () => {
    expect(askRound({ removedAt: {} })).toEqual({ actions: [], blocked: [] });
    expect(askRound({ removedAt: { [replaced.uid]: now } })).toEqual({ actions: [], blocked: [] });
    expect(askRound()).toMatchObject({ actions: [{ kind: 'evict' }], blocked: [] });
  });

  test('names the Service whose endpoints still have it', () => {
    const facts = aCluster({
      pods: [replaced],
      services: [aService('web', [], { endpoints: [endpointOf(replaced)] })],
    });
    expect(askRound({ facts })).toMatchObject({
      actions: [],
      blocked: [
        { pod: { name: 'web-1' }, reason: 'it was removed from endpoints but is still an endpoint of default/web' },
      ],
    });
  });

  test('removes again one whose label somebody has restored', () => {
    const back = { ...replaced, labels: { app: 'web' } };
    const facts = aCluster({ pods: [back], services: [aService('web', [back])] });
    expect(askRound({ facts })).toMatchObject({
      actions: [{ kind: 'remove-endpoints', removeLabels: ['app'] }],
      blocked: [],
    });
  });

  test('tries a rejected eviction again at the retry time of the API server, and not before', () => {
    const rejected = { [replaced.uid]: { message: 'budget x needs 1', againAt: now + 1 } };
    expect(askRound({ rejected })).toMatchObject({
      actions: [],
      blocked: [{ pod: { name: 'web-1' }, reason: 'its eviction is refused: budget x needs 1' }],
    });
    expect(askRound({ rejected, now: now + 1 })).toMatchObject({ actions: [{ kind: 'evict' }], blocked: [] });
  });
});
