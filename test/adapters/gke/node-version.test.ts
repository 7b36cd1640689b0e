import { describe, expect, test } from 'vitest';
import { findVersionProblem } from '../../../adapters/gke/node-version.ts';

const offered = ['1.36.3-gke.1000', '1.35.9-gke.2000'];
const problemOf = (wanted: string | undefined, own = '1.35.9-gke.2000', controlPlane = '1.36.3-gke.1000') =>
  findVersionProblem({ wanted, own, offered, controlPlane });

test.each([['1.36'], ['1.36.3'], ['1.36.3-gke.1000']])('version %s is one that GKE offers', (wanted) => {
  expect(problemOf(wanted)).toBeUndefined();
});

test.each([['1.37'], ['1.3'], ['1.36.2']])('version %s is none', (wanted) => {
  expect(problemOf(wanted)).toEqual({
    why: `GKE offers no nodes of version ${wanted} there`,
    hint: 'It offers 1.36.3-gke.1000, 1.35.9-gke.2000.',
  });
});

test('the control plane has to be as new, whether the policy names the version or not', () => {
  const told = { why: expect.stringContaining('newer than the control plane (1.35.9-gke.2000)') };
  expect(problemOf('1.36', undefined, '1.35.9-gke.2000')).toMatchObject(told);
  expect(problemOf(undefined, '1.36.3-gke.1000', '1.35.9-gke.2000')).toMatchObject(told);
});

describe('where the policy names no version, that of the pool', () => {
  test('is fine while GKE offers it', () => {
    expect(problemOf(undefined)).toBeUndefined();
  });

  test('is refused once GKE has withdrawn it, with what to set', () => {
    expect(problemOf(undefined, '1.35.7-gke.1000')).toEqual({
      why: 'GKE no longer offers nodes of its version 1.35.7-gke.1000 there, and the policy names no other',
      hint: 'Set spec.target.version in the policy, or spec.target.releaseVersion. It offers 1.36.3-gke.1000, 1.35.9-gke.2000.',
    });
  });
});
