import { protos } from '@google-cloud/container';
import { describe, expect, test } from 'vitest';
import { cloneNodePool } from '../../../adapters/gke/clone.ts';
import type { TargetPolicy } from '../../../core/policy/policy.ts';

const { NodePool, NodeConfig } = protos.google.container.v1;
type Source = protos.google.container.v1.INodePool;

const keep: TargetPolicy = {
  poolName: 'web-new',
  version: undefined,
  releaseVersion: undefined,
  launchTemplateVersion: undefined,
};
const zones = ['europe-west1-b', 'europe-west1-c', 'europe-west1-d'];
const clone = (source: Source, target: Partial<TargetPolicy> = {}, size = 6) =>
  cloneNodePool({ name: 'web', locations: zones, ...source }, { target: { ...keep, ...target }, size, run: 'run-1' });

/** Fields that a message of the installed client can have. */
const fieldsOf = (message: { create(): object }) => Object.keys(Object.getPrototypeOf(message.create()) as object);
const groups = /^_|^(constructor|toJSON)$/;

/** Every field with something in it that tells where it comes from. */
const filled = (message: { create(): object }) =>
  Object.fromEntries(
    fieldsOf(message)
      .filter((field) => !groups.test(field))
      .map((field) => [field, { from: field }]),
  );

describe('a field of', () => {
  test('a node pool is taken over, unless it is one of those that belong to the source', () => {
    const source = { ...filled(NodePool), name: 'web', config: {}, locations: zones, maintenancePolicy: {} };
    const cloned = clone(source, { version: '1.36' }) as Record<string, unknown>;
    const changed = fieldsOf(NodePool).filter(
      (field) => !groups.test(field) && JSON.stringify(cloned[field]) !== JSON.stringify({ from: field }),
    );
    expect(changed.toSorted()).toEqual([
      'autoscaling',
      'conditions',
      'config',
      'etag',
      'initialNodeCount',
      'instanceGroupUrls',
      'locations',
      'maintenancePolicy',
      'management',
      'name',
      'networkConfig',
      'podIpv4CidrSize',
      'selfLink',
      'status',
      'statusMessage',
      'updateInfo',
      'version',
    ]);
  });

  test('its node configuration is taken over, unless GKE writes it', () => {
    const source = { ...filled(NodeConfig), resourceLabels: {}, taints: [] };
    const cloned = (clone({ config: source }).config ?? {}) as Record<string, unknown>;
    const changed = fieldsOf(NodeConfig).filter(
      (field) => !groups.test(field) && JSON.stringify(cloned[field]) !== JSON.stringify({ from: field }),
    );
    expect(changed.toSorted()).toEqual(['effectiveCgroupMode', 'resourceLabels', 'taints']);
  });
});

describe('the replacement', () => {
  test('has the version of the policy, the whole one before the short one, or that of its source', () => {
    expect(clone({}, { version: '1.36' }).version).toBe('1.36');
    expect(clone({}, { version: '1.36', releaseVersion: '1.36.3-gke.1000' }).version).toBe('1.36.3-gke.1000');
    expect(clone({ version: '1.35.8-gke.1000' }).version).toBe('1.35.8-gke.1000');
  });

  test.each([
    [6, 2],
    [7, 3],
    [1, 1],
    [0, 0],
  ])('for %i instances in three zones has %i in each', (size, count) => {
    expect(clone({}, {}, size).initialNodeCount).toBe(count);
  });

  test('may not shrink, whether its source’s limits are per zone or in total', () => {
    const perZone = { enabled: true, minNodeCount: 1, maxNodeCount: 4 };
    expect(clone({ autoscaling: perZone }).autoscaling).toMatchObject({ minNodeCount: 2, maxNodeCount: 4 });
    expect(clone({ autoscaling: perZone }, {}, 15).autoscaling).toMatchObject({ minNodeCount: 5, maxNodeCount: 5 });
    const total = { enabled: true, totalMinNodeCount: 3, totalMaxNodeCount: 9, locationPolicy: 'ANY' as const };
    const cloned = clone({ autoscaling: total });
    expect(cloned.autoscaling).toEqual({
      enabled: true,
      locationPolicy: 'ANY',
      totalMinNodeCount: 6,
      totalMaxNodeCount: 9,
    });
    expect(cloned.config?.labels).toEqual({ 'nodeferry.dev/autoscaling': 'scale-0-0-3-9-any' });
  });

  test('has no autoscaler where its source has none', () => {
    expect(clone({ autoscaling: { enabled: false } }).autoscaling).toBeUndefined();
  });

  test('of a suspended source has the settings that its owner chose', () => {
    const labels = { 'nodeferry.dev/suspended': 'scale-1-4-0-0-balanced_repair', tier: 'web' };
    const config = { labels, resourceLabels: { 'nodeferry-replaces': 'older', team: 'shop' } };
    const cloned = clone({
      config,
      autoscaling: { enabled: false },
      management: { autoUpgrade: false, autoRepair: false },
    });
    expect(cloned.autoscaling).toMatchObject({ enabled: true, minNodeCount: 2, maxNodeCount: 4 });
    expect(cloned.management).toEqual({ autoUpgrade: false, autoRepair: true });
    expect(cloned.config?.resourceLabels).toEqual({
      team: 'shop',
      'nodeferry-created-by': 'run-1',
      'nodeferry-replaces': 'web',
    });
    expect(cloned.config?.labels).toEqual({
      tier: 'web',
      'nodeferry.dev/autoscaling': 'scale-1-4-0-0-balanced',
    });
  });

  test('uses the ranges of its source, which exist already', () => {
    const told = { podIpv4CidrBlock: '10.4.0.0/14', podIpv4RangeUtilization: 0.5 };
    const networkConfig = { podRange: 'pods', createPodRange: true, ...told };
    expect(clone({ networkConfig }).networkConfig).toEqual({ podRange: 'pods', createPodRange: false });
  });

  test('names a run in characters that a label may have', () => {
    const made = cloneNodePool({ name: 'web' }, { target: keep, size: 1, run: 'Run/1' });
    expect(made.config?.resourceLabels?.['nodeferry-created-by']).toBe('_52un_2f1');
  });
});
