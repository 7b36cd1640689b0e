import { describe, expect, test } from 'vitest';
import { keepFromPruners, returnToPruners } from '../../../core/pod-surge/keep-from-pruners.ts';

const sync = 'argocd.argoproj.io/sync-options';
const compare = 'argocd.argoproj.io/compare-options';

describe('annotations that keep pruners from a pod', () => {
  test.each([
    [{}, 'Prune=false'],
    [{ [sync]: '' }, 'Prune=false'],
    [{ [sync]: 'Replace=true' }, 'Replace=true,Prune=false'],
    [{ [sync]: 'Replace=true, Prune=false' }, 'Replace=true, Prune=false'],
    [{ [sync]: 'Prune=confirm' }, 'Prune=confirm,Prune=false'],
  ])('are added to %j and removed again', (annotations: Record<string, string>, expected) => {
    const { set, before } = keepFromPruners(annotations, {});
    expect(set).toEqual({ [sync]: expected, [compare]: 'IgnoreExtraneous' });
    expect(returnToPruners({ ...annotations, ...set }, before)).toEqual({
      [sync]: annotations[sync] ?? null,
      [compare]: null,
    });
  });

  test('are restored to their first values after being set twice', () => {
    const { set, before } = keepFromPruners({ [sync]: 'Replace=true' }, {});
    expect(keepFromPruners(set, before)).toEqual({ set, before });
  });

  test('that somebody has changed since stay as they are', () => {
    const { set, before } = keepFromPruners({}, {});
    expect(returnToPruners({ ...set, [sync]: 'Validate=false' }, before)).toEqual({ [compare]: null });
    expect(keepFromPruners({ ...set, [sync]: 'Validate=false' }, before)).toMatchObject({
      set: { [sync]: 'Validate=false,Prune=false' },
      before: { [sync]: 'Validate=false', [compare]: null },
    });
  });
});
