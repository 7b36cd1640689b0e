import { expect, test } from 'vitest';
import { mapInstanceState, mapInstances, mapLaunchFailures, mapLifecycle, mapPool } from '../../../adapters/eks/map.ts';

const ref = { cluster: 'prod', region: 'eu-west-1', provider: 'eks', name: 'web' };

test.each([
  ['Pending', 'pending'],
  ['Pending:Wait', 'pending'],
  ['Pending:Proceed', 'pending'],
  ['InService', 'running'],
  ['Standby', 'running'],
  ['Detaching', 'running'],
  ['Terminating', 'terminating'],
  ['Terminating:Wait', 'terminating'],
  ['Terminating:Proceed', 'terminating'],
  ['Terminated', 'terminated'],
])('lifecycle %s is %s', (state, expected) => {
  expect(mapLifecycle(state)).toBe(expected);
});

test.each([
  ['pending', 'pending'],
  ['running', 'running'],
  ['stopping', 'running'],
  ['stopped', 'stopped'],
  ['shutting-down', 'terminating'],
  ['terminated', 'terminated'],
] as const)('EC2 state %s is %s', (state, expected) => {
  expect(mapInstanceState(state)).toBe(expected);
});

test('instances of a warm pool are left out', () => {
  const Instances = [
    { InstanceId: 'i-1', AvailabilityZone: 'a', LifecycleState: 'InService' as const, InstanceType: 'x' },
    { InstanceId: 'i-2', AvailabilityZone: 'a', LifecycleState: 'Warmed:Stopped' as const, InstanceType: 'x' },
  ].map((instance) => ({ ...instance, HealthStatus: 'Healthy', ProtectedFromScaleIn: false }));
  const group = { Instances } as Parameters<typeof mapInstances>[0];

  expect(mapInstances(group)).toEqual([{ instanceId: 'i-1', zone: 'a', state: 'running' }]);
});

test('a young node group without its Auto Scaling group tells the sizes that were asked for', () => {
  const nodegroup = {
    status: 'CREATING',
    version: '1.36',
    scalingConfig: { minSize: 1, maxSize: 5, desiredSize: 3 },
  } as const;

  expect(mapPool({ ref, nodegroup, group: undefined }, [])).toMatchObject({
    status: 'creating',
    desiredSize: 3,
    minSize: 1,
    maxSize: 5,
    instances: [],
    zones: [],
  });
});

test('health issues are told in the words of EKS, with what they are about', () => {
  const issues = [{ code: 'AsgInstanceLaunchFailures', message: 'no capacity', resourceIds: ['eks-web'] }] as const;
  const nodegroup = {
    status: 'DEGRADED',
    health: { issues: [...issues].map((i) => ({ ...i, resourceIds: ['eks-web'] })) },
  } as const;

  expect(mapPool({ ref, nodegroup, group: undefined }, [])).toMatchObject({
    status: 'degraded',
    problems: ['AsgInstanceLaunchFailures: no capacity (eks-web)'],
  });
});

test('launch failures count only since the last launch that worked, each reason once', () => {
  const activity = (StatusCode: 'Failed' | 'Successful', StatusMessage?: string, what = 'Launching') => ({
    ActivityId: 'a',
    AutoScalingGroupName: 'eks-web',
    Cause: '',
    StartTime: new Date(0),
    Description: `${what} a new EC2 instance`,
    StatusCode,
    StatusMessage,
  });

  expect(
    mapLaunchFailures([
      activity('Failed', 'no m7i.large in a'),
      activity('Failed', 'no m7i.large in a'),
      activity('Failed', 'hook failed', 'Terminating'),
      activity('Successful'),
      activity('Failed', 'long ago'),
    ]),
  ).toEqual(['AsgInstanceLaunchFailures: no m7i.large in a']);
});

const group = {
  MinSize: 1,
  MaxSize: 3,
  DesiredCapacity: 1,
  AutoScalingGroupName: 'eks-web',
  DefaultCooldown: 300,
  AvailabilityZones: ['eu-west-1a'],
  HealthCheckType: 'EC2',
  CreatedTime: new Date(0),
};

test('what is attached to the Auto Scaling group is told by name, once', () => {
  const arn = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/api/6d0ecf831eec9f09';
  const attached = (more: object) =>
    mapPool({ ref, nodegroup: { status: 'ACTIVE' }, group: { ...group, ...more } }, []).attached;

  expect(
    attached({
      TargetGroupARNs: [arn],
      LoadBalancerNames: ['classic'],
      TrafficSources: [{ Identifier: arn, Type: 'elbv2' }],
    }),
  ).toEqual(['api', 'classic']);
  expect(attached({ TargetGroupARNs: [], LoadBalancerNames: [] })).toBeUndefined();
});

test('a maximum lifetime and a protection of new instances are settings of the group’s own', () => {
  const more = { MaxInstanceLifetime: 1_209_600, NewInstancesProtectedFromScaleIn: true };
  const pool = { ref, nodegroup: { status: 'ACTIVE' } } as const;

  expect(mapPool({ ...pool, group: { ...group, ...more } }, []).ownSettings).toEqual([
    'maximum instance lifetime 14 d',
    'new instances protected from scale-in',
  ]);
  expect(mapPool({ ...pool, group }, []).ownSettings).toBeUndefined();
});
