import type { Nodegroup } from '@aws-sdk/client-eks';
import { describe, expect, test } from 'vitest';
import { cloneNodegroup } from '../../../adapters/eks/clone.ts';
import type { TargetPolicy } from '../../../core/policy/policy.ts';

const source: Nodegroup = {
  nodegroupName: 'web',
  clusterName: 'prod',
  version: '1.35',
  releaseVersion: '1.35.8-20261010',
  status: 'ACTIVE',
  capacityType: 'SPOT',
  scalingConfig: { minSize: 3, maxSize: 9, desiredSize: 6 },
  instanceTypes: ['m7i.large', 'm7a.large'],
  subnets: ['subnet-a', 'subnet-b'],
  amiType: 'BOTTLEROCKET_x86_64',
  nodeRole: 'arn:aws:iam::111122223333:role/node',
  labels: { tier: 'web' },
  taints: [{ key: 'dedicated', value: 'web', effect: 'NO_SCHEDULE' }],
  remoteAccess: { ec2SshKey: 'ops' },
  diskSize: 80,
  updateConfig: { maxUnavailablePercentage: 33, updateStrategy: 'MINIMAL' },
  nodeRepairConfig: { enabled: true },
  tags: {
    team: 'web',
    'aws:cloudformation:stack-name': 's',
    'eks:cluster-name': 'prod',
    'nodeferry.dev/created-by': 'run-0',
    'nodeferry.dev/replaces': 'older',
  },
};
const keep: TargetPolicy = {
  poolName: 'web-new',
  version: undefined,
  releaseVersion: undefined,
  launchTemplateVersion: undefined,
};
const clone = (changes: Partial<Nodegroup> = {}, target: Partial<TargetPolicy> = {}, size = 6, token = 'token-1') =>
  cloneNodegroup('prod', { ...source, ...changes }, { target: { ...keep, ...target }, size, run: 'run-1', token });

test('takes over everything that is not to change', () => {
  const { nodegroupName: _, clusterName, status: __, tags: ___, scalingConfig: ____, ...same } = source;

  expect(clone()).toMatchObject({ ...same, clusterName, nodegroupName: 'web-new' });
});

test('leaves the tags of AWS and of an earlier run behind and adds those of this run', () => {
  expect(clone().tags).toEqual({
    team: 'web',
    'nodeferry.dev/created-by': 'run-1',
    'nodeferry.dev/replaces': 'web',
    'nodeferry.dev/min-size': '3',
  });
});

describe('sizes', () => {
  test.each([
    { name: 'the size is the minimum too', size: 6, expected: { minSize: 6, maxSize: 9, desiredSize: 6 } },
    { name: 'one below the minimum lowers it', size: 2, expected: { minSize: 2, maxSize: 9, desiredSize: 2 } },
    { name: 'one above the maximum raises it', size: 12, expected: { minSize: 12, maxSize: 12, desiredSize: 12 } },
  ])('$name', ({ size, expected }) => {
    expect(clone({}, {}, size).scalingConfig).toEqual(expected);
  });

  test.each([
    ['is suspended', 0, { 'nodeferry.dev/suspended': 'AZRebalance min-size:3' }],
    ['may not shrink', 6, { 'nodeferry.dev/min-size': '3' }],
    ['may not shrink and is suspended', 0, { 'nodeferry.dev/suspended': 'min-size:3', 'nodeferry.dev/min-size': '3' }],
  ])('the minimum of the owner of a source that %s is recorded', (_, minSize, tags) => {
    const changed = { scalingConfig: { minSize, maxSize: 9, desiredSize: 6 }, tags };

    expect(clone(changed).tags).toEqual({
      'nodeferry.dev/created-by': 'run-1',
      'nodeferry.dev/replaces': 'web',
      'nodeferry.dev/min-size': '3',
    });
  });
});

describe('versions', () => {
  test('nothing named means the very same release', () => {
    expect(clone()).toMatchObject({ version: '1.35', releaseVersion: '1.35.8-20261010' });
  });

  test('a version alone means its newest release', () => {
    const request = clone({}, { version: '1.36' });

    expect(request.version).toBe('1.36');
    expect(request).not.toHaveProperty('releaseVersion');
  });

  test('a release alone stays within the version', () => {
    expect(clone({}, { releaseVersion: '1.35.9-20261101' })).toMatchObject({
      version: '1.35',
      releaseVersion: '1.35.9-20261101',
    });
  });
});

describe('launch templates', () => {
  const template = { launchTemplate: { id: 'lt-1', name: 'web', version: '7' }, diskSize: undefined };

  test('are named by id alone, with the version that the target says', () => {
    expect(clone(template).launchTemplate).toEqual({ id: 'lt-1', version: '7' });
    expect(clone(template, { launchTemplateVersion: '8' }).launchTemplate).toEqual({ id: 'lt-1', version: '8' });
  });

  test('bring disk and access with them, so those are not named', () => {
    expect(clone(template)).not.toHaveProperty('remoteAccess');
    expect(clone(template)).not.toHaveProperty('diskSize');
  });

  test('with an image of their own bring type and version with them as well', () => {
    const request = clone({ ...template, amiType: 'CUSTOM' }, { launchTemplateVersion: '8' });

    expect(request).not.toHaveProperty('amiType');
    expect(request).not.toHaveProperty('version');
    expect(request).not.toHaveProperty('releaseVersion');
  });

  test('with an image of their own refuse a version, and say how to get it', () => {
    expect(() => clone({ ...template, amiType: 'CUSTOM' }, { version: '1.36' })).toThrow(/its own image/);
  });

  test('a template version is refused where there is no template', () => {
    expect(() => clone({}, { launchTemplateVersion: '8' })).toThrow(/no launch template/);
  });
});

test('a token that EKS would not take is hashed, always to the same', () => {
  const long = `pool-upgrade/prod/web/${'x'.repeat(80)}`;

  expect(clone({}, {}, 6, 'short').clientRequestToken).toBe('short');
  expect(clone({}, {}, 6, long).clientRequestToken).toMatch(/^[0-9a-f]{64}$/);
  expect(clone({}, {}, 6, long).clientRequestToken).toBe(clone({}, {}, 6, long).clientRequestToken);
});
