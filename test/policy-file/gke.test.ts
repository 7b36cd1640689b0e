import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { poolRefOf } from '../../core/policy/policy.ts';
import { editorJsonSchema } from '../../policy-file/json-schemas.ts';
import { formatPolicyProblem, parsePolicy } from '../../policy-file/parse.ts';

/** A policy for GKE, with one line of it changed. */
const written = (change: Readonly<Record<string, string>> = {}) => {
  const {
    name,
    region,
    project = '',
    pool,
    target,
  } = {
    name: 'production',
    region: 'europe-west1',
    pool: 'web',
    target: '{version: "1.34"}',
    ...change,
  };
  return [
    'apiVersion: nodeferry.dev/v1alpha1',
    'kind: PoolUpgrade',
    'metadata: {name: web}',
    'spec:',
    `  cluster: {name: ${name}, region: ${region}${project}}`,
    `  pool: {provider: gke, name: ${pool}}`,
    `  target: ${target}`,
    '',
  ].join('\n');
};

const policyOf = (text: string) => {
  const result = parsePolicy(text, 'p.yaml');
  if (!result.ok) throw new Error(result.problems.map(formatPolicyProblem).join('\n'));
  return result.policy;
};

const problemsOf = (text: string) => {
  const result = parsePolicy(text, 'p.yaml');
  return result.ok ? [] : result.problems.map(formatPolicyProblem);
};

describe('a policy for a pool of GKE', () => {
  test.each(['europe-west1', 'europe-west1-b', 'northamerica-northeast1-a', 'us-central1-ai1a', 'me-central2'])(
    'names the location %s',
    (region) => {
      expect(policyOf(written({ region })).cluster).toEqual({ name: 'production', region });
    },
  );

  test('names its project, which reaches the adapter with each pool', () => {
    const policy = policyOf(written({ project: ', project: shop-prod' }));
    expect(poolRefOf(policy)).toEqual({
      cluster: 'production',
      region: 'europe-west1',
      provider: 'gke',
      name: 'web',
      locator: { project: 'shop-prod' },
    });
  });

  test('leaves the project to the worker', () => {
    expect(poolRefOf(policyOf(written()))).not.toHaveProperty('locator');
  });

  const form = 'at most 40 lower-case letters, digits and -, beginning with a letter and not ending with -';
  test.each([
    [
      { name: 'Production' },
      `5:19 spec.cluster.name: 'Production' is not allowed here; allowed: a GKE cluster name: ${form}`,
    ],
    [{ pool: 'web_1' }, `6:31 spec.pool.name: 'web_1' is not allowed here; allowed: a GKE node pool name: ${form}`],
    [{ pool: 'web-' }, `6:31 spec.pool.name: 'web-' is not allowed here; allowed: a GKE node pool name: ${form}`],
    [
      { region: 'europe' },
      "5:39 spec.cluster.region: 'europe' is not allowed here; allowed: the location of a GKE cluster: a region such as europe-west1, or for a zonal cluster a zone such as europe-west1-b",
    ],
    [
      { project: ', project: Shop' },
      "5:62 spec.cluster.project: 'Shop' is not allowed here; allowed: the ID of a Google Cloud project, such as shop-prod: 6 to 30 lower-case letters, digits and -, beginning with a letter",
    ],
    [
      { target: '{releaseVersion: 1.34.2-20251103}' },
      "7:28 spec.target.releaseVersion: '1.34.2-20251103' is not allowed here; allowed: a GKE version, such as 1.34.2-gke.1000",
    ],
    [
      { target: '{launchTemplateVersion: "7"}' },
      '7:12 spec.target.launchTemplateVersion: there is no such field; allowed: poolName, adopt, version, releaseVersion',
    ],
    [
      { pool: 'p'.repeat(38) },
      `6:25 spec.target.poolName: the default '${'p'.repeat(38)}-1-34' is longer than 40 characters; allowed: a name of at most 40 characters`,
    ],
  ])('is refused with its position and what is allowed: %o', (change: Readonly<Record<string, string>>, problem) => {
    expect(problemsOf(written(change))).toEqual([`p.yaml:${problem}`]);
  });

  test.each([
    ['{version: "1.34"}', 'web-1-33', 'web-1-34'],
    ['{releaseVersion: 1.34.2-gke.1000}', 'web', 'web-1-34-2-1000'],
    ['{releaseVersion: 1.35.1-gke.20}', 'web-1-34-2-1000', 'web-1-35-1-20'],
    ['{releaseVersion: 1.34.2}', 'web', 'web-1-34-2'],
  ])('with target %s names the new pool of %s %s', (target, pool, expected) => {
    expect(policyOf(written({ target, pool })).target.poolName).toBe(expected);
  });
});

test('no project is a field of EKS', () => {
  const text = written({ project: ', project: shop-prod', region: 'eu-west-1' }).replace('gke', 'eks');
  expect(problemsOf(text)).toEqual(['p.yaml:5:50 spec.cluster.project: there is no such field; allowed: name, region']);
});

describe('editors accept what nodeferry accepts', () => {
  const accepts = new Ajv({ strict: false, validateFormats: false }).compile(editorJsonSchema());
  const eks = written({ region: 'eu-west-1' }).replace('gke', 'eks');
  test.each([
    ['GKE', written({ project: ', project: shop-prod' })],
    ['GKE in a region of AWS', written({ region: 'eu-west-1a-b' })],
    ['EKS', eks],
    ['EKS with a project', eks.replace('region: eu-west-1', 'region: eu-west-1, project: shop-prod')],
    ['no provider', eks.replace('provider: eks, ', '')],
    ['a provider that nobody knows', eks.replace('eks', 'ekss')],
  ])('%s', (_what, text) => {
    expect(accepts(parse(text))).toBe(problemsOf(text).length === 0);
  });
});
