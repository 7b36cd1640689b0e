import { describe, expect, test } from 'vitest';
import { type Controller, mapTargetGroup } from '../../../adapters/elb/map.ts';
import type { TargetGroupFacts } from '../../../core/model/target-group.ts';
import { auditOf, checkedBy, webPods } from '../support/audited-cluster.ts';
import { aGroup, aNode, aTarget } from '../support/facts.ts';

const arn = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/k8s-web/0a1b';
const nodes = [aNode('n1'), aNode('n2'), aNode('n3', { zone: 'b' }), aNode('n4', { zone: 'b' })];

interface Made {
  readonly controller?: Controller;
  readonly isBound?: boolean;
  readonly type?: 'network' | 'application';
  readonly targetType?: 'instance' | 'ip';
  readonly attributes?: Readonly<Record<string, string>>;
  readonly check?: Readonly<Record<string, string | number>>;
}

/** A target group as the adapter of AWS reads it. */
function made({ controller = 'service-controller', isBound = false, ...made }: Made): TargetGroupFacts {
  const { type = 'network', targetType = 'instance', attributes = {}, check = {} } = made;
  const base = mapTargetGroup({
    service: 'default/web',
    controller,
    isBound,
    loadBalancer: { LoadBalancerName: 'web', Type: type, AvailabilityZones: [{ ZoneName: 'a' }, { ZoneName: 'b' }] },
    loadBalancerAttributes: [{ Key: 'load_balancing.cross_zone.enabled', Value: 'true' }],
    targetGroup: {
      TargetGroupArn: arn,
      TargetGroupName: 'k8s-web',
      TargetType: targetType,
      HealthCheckProtocol: 'HTTP',
      HealthCheckPort: '30900',
      HealthCheckIntervalSeconds: 10,
      UnhealthyThresholdCount: 2,
      ...check,
    },
    targetGroupAttributes: Object.entries(attributes).map(([Key, Value]) => ({ Key, Value })),
  });
  return { ...base, targets: nodes.map((node) => aTarget(node)) };
}

const brief = { 'deregistration_delay.timeout_seconds': '60' };
const findBy = (rule: string, how: Made, policy: 'Local' | 'Cluster' = 'Local') =>
  auditOf({ nodes, groups: [made(how)], service: { externalTrafficPolicy: policy } }).findings.filter(
    (finding) => finding.rule === rule,
  );
const fixOf = (rule: string, how: Made, policy?: 'Local' | 'Cluster') => findBy(rule, how, policy)[0]?.fix;
const command = (pairs: string) =>
  `aws elbv2 modify-target-group-attributes --region eu-west-1 --target-group-arn ${arn} --attributes ${pairs}`;

describe('an attribute of a target group', () => {
  test.each([
    ['SVC-008', brief, 'Key=deregistration_delay.timeout_seconds,Value=120'],
    [
      'SVC-009',
      {},
      'Key=target_health_state.unhealthy.connection_termination.enabled,Value=false Key=target_health_state.unhealthy.draining_interval_seconds,Value=300',
    ],
    ['SVC-024', { 'stickiness.enabled': 'true' }, 'Key=stickiness.enabled,Value=false'],
  ])('%s: is set at the group, where its controller would refuse an annotation', (rule, attributes, pairs) => {
    const fix = fixOf(rule, { attributes });

    expect(fix).toMatchObject({
      commands: [command(pairs)],
      text: expect.stringContaining('registers no more nodes') as string,
    });
    expect(fix).not.toHaveProperty('yaml');
  });

  test('is set at the group under policy Cluster too', () => {
    const pairs = 'Key=deregistration_delay.connection_termination.enabled,Value=true';

    expect(fixOf('CON-001', {}, 'Cluster')?.commands).toEqual([command(pairs)]);
  });

  test('is set by the annotation where the controller takes it from there, without losing the others', () => {
    const fix = fixOf('SVC-008', { controller: 'aws-load-balancer-controller', attributes: brief });

    expect(fix?.text).toContain('Add this to the attributes that the annotation of the Service has already');
    expect(fix?.yaml).toContain('# after a comma, if it has others already');
    expect(fix?.yaml).toContain('aws-load-balancer-target-group-attributes: deregistration_delay.timeout_seconds=120');
    expect(fix).not.toHaveProperty('commands');
  });

  test('is not switched off where servers rely on it: they would reject every connection', () => {
    const attributes = { 'proxy_protocol_v2.enabled': 'true' };
    const fixes = (['service-controller', 'aws-load-balancer-controller'] as const).map((controller) =>
      fixOf('SVC-011', { controller, attributes }),
    );

    for (const fix of fixes) {
      expect(fix).toEqual({ text: expect.stringContaining('Do not switch the header off first') as string });
      expect(fix?.text).toContain('PrivateLink');
      expect(fix?.text).not.toContain('without interrupting');
    }
    expect(fixes).toHaveLength(2);
  });

  test('is set at the group where annotations of the Service say nothing about it', () => {
    const bound = { controller: 'aws-load-balancer-controller', isBound: true, targetType: 'ip' } as const;

    expect(fixOf('SVC-008', { ...bound, attributes: brief })?.commands).toEqual([
      command('Key=deregistration_delay.timeout_seconds,Value=120'),
    ]);
  });

  test('is set at those groups of a Service only that need it', () => {
    const fine = aGroup('web', nodes, { id: 'arn:fine', deregistrationDelayMs: 300_000 });
    const { findings } = auditOf({ nodes, groups: [made({ attributes: brief }), fine] });

    expect(findings.find(({ rule }) => rule === 'SVC-008')?.fix.commands).toHaveLength(1);
  });
});

describe('a health check', () => {
  const slow = { HealthCheckIntervalSeconds: 30, UnhealthyThresholdCount: 3 };
  const tcp = { HealthCheckProtocol: 'TCP', HealthCheckPort: 'traffic-port' };

  test.each([
    ['SVC-006', slow],
    ['SVC-003', tcp],
  ])('%s: has no command where its controller replaces the group for that', (rule, check) => {
    const fix = fixOf(rule, { check });

    expect(fix?.text).toContain('makes a new target group');
    expect(fix).not.toHaveProperty('commands');
  });

  test('has no command for a change of policy and back either, which changes it twice', () => {
    const fixes = (['service-controller', 'aws-load-balancer-controller'] as const).map(
      (controller) =>
        auditOf({ nodes, groups: [made({ controller })], service: { healthCheckNodePort: 0 } }).findings.find(
          ({ rule }) => rule === 'SVC-004',
        )?.fix,
    );

    expect(fixes.map((fix) => fix?.commands?.length)).toEqual([undefined, 2]);
  });

  test.each([
    ['SVC-006', slow, 'healthcheck-interval":"10"'],
    ['SVC-003', tcp, 'healthcheck-protocol":null'],
  ])('%s: has one where the controller changes it in place', (rule, check, part) => {
    const fix = fixOf(rule, { controller: 'aws-load-balancer-controller', check });

    expect(fix?.commands?.join()).toContain(part);
  });

  test('has a command for its port alone, which every controller changes in place', () => {
    const commands = fixOf('SVC-003', { check: { HealthCheckPort: 'traffic-port' } })?.commands?.join();

    expect(commands).toContain('healthcheck-port":null');
    expect(commands).not.toContain('healthcheck-protocol');
  });

  test('of pods asks the pods, which is right', () => {
    const pods = { controller: 'aws-load-balancer-controller', targetType: 'ip' } as const;
    const wrong = { attributes: { 'proxy_protocol_v2.enabled': 'true' }, check: tcp };
    const rules = ['SVC-003', 'SVC-004', 'SVC-009', 'SVC-011'];

    expect(rules.flatMap((rule) => findBy(rule, { ...pods, ...wrong }))).toEqual([]);
    expect(rules.flatMap((rule) => findBy(rule, wrong))).not.toEqual([]);
  });

  test('that is slow sends to a failed target until it has failed often enough, and 40 s longer', () => {
    expect(findBy('SVC-006', { check: slow })[0]?.message).toBe('k8s-web may send to a failed target for 2m 43s');
  });
});

describe('SVC-008', () => {
  test('is about Network Load Balancers only: others send nothing new a moment after a deregistration', () => {
    const bound = { controller: 'aws-load-balancer-controller', isBound: true, targetType: 'ip' } as const;

    expect(findBy('SVC-008', { ...bound, attributes: brief, type: 'application' })).toEqual([]);
    expect(findBy('SVC-008', { ...bound, attributes: brief })).toHaveLength(1);
  });
});

test('SVC-016 says nothing of a load balancer of which nobody knows what it ends', () => {
  const unknown = { deregistrationDelayMs: 0, terminatesConnectionsAfterDelay: 'unknown' } as const;

  expect(auditOf({ group: unknown }).findings.filter(({ rule }) => rule === 'SVC-016')).toEqual([]);
});

test('WKL-007 asks for no zone without nodes', () => {
  const zonal = [aNode('n1'), aNode('n2')];
  const found = (zones: readonly string[]) =>
    auditOf({ nodes: zonal, pods: webPods().slice(0, 2), group: { ...checkedBy({}), zones } }).findings;

  expect(found(['a', 'b', 'c']).filter(({ rule }) => rule === 'WKL-007')).toEqual([]);
});
