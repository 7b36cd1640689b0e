import { describe, expect, test } from 'vitest';
import { decidePutBack, decidePutBackRound, type PutBackQuestion } from '../../../core/drain/put-back.ts';
import type { PodFacts } from '../../../core/model/pod.ts';
import { aCluster, aNode, aPod, aPolicy, aService, endpointOf, refOf } from '../support/facts.ts';

const node = refOf(aNode('n1'));
const unlisted = { by: 'run', originalLabels: { app: 'web' } };

describe('putting pods back', () => {
  test('gives a pod its labels back while its controller still owns it', () => {
    expect(decidePutBack(node, [aPod('web-1', 'n1', { unlisted })], 'run')).toMatchObject([{ kind: 'relist' }]);
  });

  test('finishes a pod that its controller has let go of, because it has been replaced', () => {
    expect(decidePutBack(node, [aPod('web-1', 'n1', { unlisted, ownerKind: 'none' })], 'run')).toMatchObject([
      { kind: 'evict' },
    ]);
  });

  test.each([
    ['of another run', { unlisted: { ...unlisted, by: 'other' } }],
    ['that are listed', {}],
    ['that are terminating', { unlisted, terminating: true }],
  ])('leaves alone pods %s', (_, change) => {
    expect(decidePutBack(node, [aPod('web-1', 'n1', change)], 'run')).toEqual([]);
  });

  test('leaves alone pods of other nodes', () => {
    expect(decidePutBack(node, [aPod('web-1', 'n2', { unlisted })], 'run')).toEqual([]);
  });
});

describe('a round of putting back', () => {
  const { waits } = aPolicy();
  const now = 1_000_000;
  const replaced = aPod('web-1', 'n1', { unlisted, ownerKind: 'none', labels: {} });
  const long = { [replaced.uid]: 0 };
  const askRound = (change: Partial<PutBackQuestion> = {}, pod: PodFacts = replaced) =>
    decidePutBackRound({
      nodes: [node],
      facts: aCluster({ pods: [pod] }),
      run: 'run',
      waits,
      now,
      unlistedAt: long,
      refused: {},
      ...change,
    });

  test('relists at once', () => {
    const owned = aPod('web-1', 'n1', { unlisted });
    expect(askRound({ unlistedAt: {} }, owned)).toMatchObject({ actions: [{ kind: 'relist' }], blocked: [] });
  });

  test('finishes a pod only once it is out of its endpoints and that has spread', () => {
    expect(askRound({ unlistedAt: {} })).toEqual({ actions: [], blocked: [] });
    expect(askRound({ unlistedAt: { [replaced.uid]: now } })).toEqual({ actions: [], blocked: [] });
    expect(askRound()).toMatchObject({ actions: [{ kind: 'evict' }], blocked: [] });
  });

  test('names the Service whose endpoints still have it', () => {
    const facts = aCluster({
      pods: [replaced],
      services: [aService('web', [], { endpoints: [endpointOf(replaced)] })],
    });
    expect(askRound({ facts })).toMatchObject({
      actions: [],
      blocked: [{ pod: { name: 'web-1' }, reason: 'it was unlisted but is still an endpoint of default/web' }],
    });
  });

  test('unlists once more one whose label somebody has given back', () => {
    const back = { ...replaced, labels: { app: 'web' } };
    const facts = aCluster({ pods: [back], services: [aService('web', [back])] });
    expect(askRound({ facts })).toMatchObject({ actions: [{ kind: 'unlist', removeLabels: ['app'] }], blocked: [] });
  });

  test('asks again for an eviction that was refused when the API server said, and not before', () => {
    const refused = { [replaced.uid]: { message: 'budget x needs 1', againAt: now + 1 } };
    expect(askRound({ refused })).toMatchObject({
      actions: [],
      blocked: [{ pod: { name: 'web-1' }, reason: 'its eviction is refused: budget x needs 1' }],
    });
    expect(askRound({ refused, now: now + 1 })).toMatchObject({ actions: [{ kind: 'evict' }], blocked: [] });
  });
});
