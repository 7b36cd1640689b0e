import { describe, expect, test } from 'vitest';
import { text } from '../../policy-file/fields.ts';
import { formatPolicyProblem, parsePolicy } from '../../policy-file/parse.ts';
import type { ProviderSection } from '../../policy-file/providers/section.ts';
import { providerSections } from '../../policy-file/providers/sections.ts';

const colour = (description: string) => text('a colour', /^[a-z]+$/, 9).meta({ description });

/** A provider whose pools have the names of colours. */
const toy: ProviderSection = {
  clusterName: text('a toy box', /^box-\d+$/, 16),
  region: text('a room', /^room$/, 4),
  cluster: { shelf: text('a shelf', /^[a-z]$/, 1).optional() },
  poolName: colour,
  maxPoolNameLength: 9,
  target: { shade: text('light or dark', /^(light|dark)$/, 5).optional() },
  nameSuffix: ({ shade }) => shade,
};

const read = (spec: string, section = toy) =>
  parsePolicy(
    `apiVersion: nodeferry.dev/v1alpha1\nkind: PoolUpgrade\nmetadata: {name: toys}\nspec:\n${spec}`,
    'p.yaml',
    undefined,
    { ...providerSections, toy: section },
  );

const problemsOf = (spec: string) => {
  const result = read(spec);
  return result.ok ? [] : result.problems.map(formatPolicyProblem);
};

const box = '  cluster: {name: box-1, region: room}\n';

describe('a policy for a pool of another provider', () => {
  test('is read by the rules of that provider, whose settings are passed on', () => {
    const result = read(`${box}  pool: {provider: toy, name: red}\n  target: {poolName: blue, shade: dark}\n`);
    expect(result).toMatchObject({
      ok: true,
      policy: { pool: { provider: 'toy', name: 'red' }, target: { poolName: 'blue', shade: 'dark' } },
    });
  });

  test('has problems against the fields of that provider alone', () => {
    expect(problemsOf(`${box}  pool: {provider: toy, name: RED}\n  target: {releaseVersion: "1"}\n`)).toEqual([
      "p.yaml:6:31 spec.pool.name: 'RED' is not allowed here; allowed: a colour",
      'p.yaml:7:12 spec.target.releaseVersion: there is no such field; allowed: poolName, adopt, version, shade',
    ]);
  });

  test('names its new pool within the limits of that provider', () => {
    expect(problemsOf(`${box}  pool: {provider: toy, name: orange}\n  target: {shade: light}\n`)).toEqual([
      "p.yaml:6:25 spec.target.poolName: the default 'orange-light' is longer than 9 characters; allowed: a name of at most 9 characters",
    ]);
  });

  test('keeps its name if that provider replaces a pool in place', () => {
    const inPlace = `${box}  pool: {provider: toy, name: red}\n  target: {poolName: red}\n`;
    expect(problemsOf(inPlace)).toEqual([expect.stringContaining("'red' is the name of the pool to replace")]);
    const able = { ...toy, replacesInPlace: true };
    expect(read(inPlace, able)).toMatchObject({ ok: true, policy: { target: { poolName: 'red' } } });
  });

  test('is refused when nobody knows that provider', () => {
    expect(problemsOf('  cluster: {name: prod, region: eu-west-1}\n  pool: {provider: toi, name: web}\n')).toEqual([
      expect.stringMatching(/^p\.yaml:6:20 spec\.pool\.provider: 'toi' is not allowed here; allowed: eks, gke, toy/),
    ]);
  });
});

test('a policy that names no provider means EKS', () => {
  const result = read('  cluster: {name: prod, region: eu-west-1}\n  pool: {name: web}\n  target: {version: "1.36"}\n');
  expect(result).toMatchObject({ ok: true, policy: { pool: { provider: 'eks', name: 'web' } } });
});
