import { describe, expect, it } from 'vitest';

import { selectsLabels } from '../../../core/model/label-selector.ts';

describe('a label selector', () => {
  const labels = { app: 'web', tier: 'front' };
  const expression = (key: string, operator: string, values?: string[]) =>
    selectsLabels({ matchExpressions: [{ key, operator, ...(values === undefined ? {} : { values }) }] }, labels);

  it('matches all when it is empty and nothing when it is absent', () => {
    expect(selectsLabels({}, labels)).toBe(true);
    expect(selectsLabels(undefined, labels)).toBe(false);
  });

  it('matches labels and every expression', () => {
    expect(selectsLabels({ matchLabels: { app: 'web' } }, labels)).toBe(true);
    expect(selectsLabels({ matchLabels: { app: 'api' } }, labels)).toBe(false);
    expect(expression('app', 'In', ['api', 'web'])).toBe(true);
    expect(expression('absent', 'In', ['web'])).toBe(false);
    expect(expression('app', 'NotIn', ['web'])).toBe(false);
    expect(expression('absent', 'NotIn', ['web'])).toBe(true);
    expect(expression('tier', 'Exists')).toBe(true);
    expect(expression('tier', 'DoesNotExist')).toBe(false);
    expect(expression('absent', 'DoesNotExist')).toBe(true);
    expect(expression('app', 'Invented')).toBe(false);
  });
});
