import { elbError } from './errors.ts';

interface AttributeRule {
  readonly initial: string;
  readonly allowed: RegExp;
  /** Inclusive bounds of a number. */
  readonly range?: readonly [number, number];
}

const flag = (initial: 'true' | 'false'): AttributeRule => ({ initial, allowed: /^(true|false)$/ });
const text = (initial: string, allowed = /^.*$/): AttributeRule => ({ initial, allowed });
const number = (initial: number, min: number, max: number): AttributeRule => ({
  initial: String(initial),
  allowed: /^\d+$/,
  range: [min, max],
});

/** Network Load Balancer guide, "Edit target group attributes", and ELBv2 API reference, TargetGroupAttribute. */
const targetGroupRules: Readonly<Record<string, AttributeRule>> = {
  'deregistration_delay.timeout_seconds': number(300, 0, 3600),
  'deregistration_delay.connection_termination.enabled': flag('false'),
  'stickiness.enabled': flag('false'),
  'stickiness.type': text('source_ip', /^source_ip$/),
  'load_balancing.cross_zone.enabled': text(
    'use_load_balancer_configuration',
    /^(true|false|use_load_balancer_configuration)$/,
  ),
  'preserve_client_ip.enabled': flag('true'),
  'proxy_protocol_v2.enabled': flag('false'),
  'target_health_state.unhealthy.connection_termination.enabled': flag('true'),
  'target_health_state.unhealthy.draining_interval_seconds': number(0, 0, 360_000),
  'target_group_health.dns_failover.minimum_healthy_targets.count': text('1', /^(off|\d+)$/),
  'target_group_health.dns_failover.minimum_healthy_targets.percentage': text('off', /^(off|\d+)$/),
  'target_group_health.unhealthy_state_routing.minimum_healthy_targets.count': text('1', /^\d+$/),
  'target_group_health.unhealthy_state_routing.minimum_healthy_targets.percentage': text('off', /^(off|\d+)$/),
};

/** Network Load Balancer guide, "Edit attributes", and ELBv2 API reference, LoadBalancerAttribute. */
const loadBalancerRules: Readonly<Record<string, AttributeRule>> = {
  'access_logs.s3.enabled': flag('false'),
  'access_logs.s3.bucket': text(''),
  'access_logs.s3.prefix': text(''),
  'deletion_protection.enabled': flag('false'),
  'load_balancing.cross_zone.enabled': flag('false'),
  'ipv6.deny_all_igw_traffic': flag('false'),
  'dns_record.client_routing_policy': text(
    'any_availability_zone',
    /^(any_availability_zone|partial_availability_zone_affinity|availability_zone_affinity)$/,
  ),
  'zonal_shift.config.enabled': flag('false'),
  'secondary_ips.auto_assigned.per_subnet': number(0, 0, 7),
};

const rulesOf = { 'Target group': targetGroupRules, 'Load balancer': loadBalancerRules } as const;

/** What has attributes. */
type AttributeOwner = keyof typeof rulesOf;

/** The attributes of a new resource. */
export function initialAttributes(owner: AttributeOwner): Map<string, string> {
  return new Map(Object.entries(rulesOf[owner]).map(([key, rule]) => [key, rule.initial]));
}

/** Changes all attributes or none; refuses unknown keys and values out of range. */
export function modifyAttributes(
  owner: AttributeOwner,
  attributes: Map<string, string>,
  changes: readonly { readonly Key?: string | undefined; readonly Value?: string | undefined }[],
): void {
  for (const { Key = '', Value = '' } of changes) {
    const rule = rulesOf[owner][Key];
    if (rule === undefined) {
      throw elbError('InvalidConfigurationRequest', `${owner} attribute key '${Key}' is not recognized`);
    }
    const [min, max] = rule.range ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    if (!rule.allowed.test(Value) || Number(Value) < min || Number(Value) > max) {
      throw elbError(
        'InvalidConfigurationRequest',
        `${owner} attribute value '${Value}' is not valid for key '${Key}'`,
      );
    }
  }
  for (const { Key = '', Value = '' } of changes) attributes.set(Key, Value);
}

/** Attributes as the API returns them. */
export function attributeList(attributes: ReadonlyMap<string, string>): { Key: string; Value: string }[] {
  return [...attributes].map(([Key, Value]) => ({ Key, Value }));
}
