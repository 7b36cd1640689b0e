/** A scenario: everything that a lab starts with, declared as data. */
import type { KubernetesObject } from '@kubernetes/client-node';
import type { AwsDelays } from './aws/presets.ts';
import type { NodegroupSeed } from './aws/seed.ts';
import type { GcpDelays } from './gcp/presets.ts';

/** Settings that the cloud controller manager can't make: they are set on the target groups once these exist. */
interface TargetGroupSettings {
  /** Name of the Service in the namespace `default`. */
  readonly service: string;
  /** Target group attributes as the ELBv2 API names them. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** The initial state of a lab, on whatever cloud. */
export interface ClusterScenario {
  readonly name: string;
  /** One sentence for `lab up --help` and `lab status`. */
  readonly summary: string;
  readonly region: string;
  readonly zones: readonly string[];
  readonly clusterName: string;
  /** Minor version of the control plane. */
  readonly version: string;
  /** Node pools that exist from the start. Their versions are minor versions: `1.35` or `1.36`. */
  readonly nodegroups: readonly NodegroupSeed[];
  readonly objects: readonly KubernetesObject[];
}

/** The initial state of a lab on AWS. */
export interface Scenario extends ClusterScenario {
  /** How long the simulated cloud takes; delays left out are as in the preset `fast`. Milliseconds. */
  readonly delays: Partial<AwsDelays>;
  readonly targetGroups: readonly TargetGroupSettings[];
}

/** The initial state of a lab on Google. */
export interface GkeScenario extends ClusterScenario {
  readonly cloud: 'google';
  /** How long the simulated cloud takes; delays left out are as in the preset `fast`. Milliseconds. */
  readonly delays: Partial<GcpDelays>;
}

/** Kubernetes versions that the lab has kubelets for. */
const KUBERNETES_VERSIONS = ['1.35', '1.36'] as const;

/** What is wrong with a scenario, one sentence each; empty when nothing is. */
export function scenarioProblems(
  scenario: ClusterScenario & Partial<Pick<Scenario, 'targetGroups'>>,
): readonly string[] {
  return [
    ...duplicates(scenario.nodegroups.map((group) => group.name)).map((name) => `node group ${name} is declared twice`),
    ...scenario.zones
      .filter((zone) => !zone.startsWith(scenario.region))
      .map((zone) => `zone ${zone} is not in ${scenario.region}`),
    ...(scenario.zones.length === 0 ? ['there is no zone'] : []),
    ...scenario.nodegroups.flatMap((group) => nodegroupProblems(group, scenario)),
    ...objectProblems(scenario.objects),
    ...targetGroupProblems(scenario),
  ];
}

/** Returns the scenario, or throws an error that lists everything that is wrong with it. */
export function validScenario<Valid extends ClusterScenario>(scenario: Valid): Valid {
  const problems = scenarioProblems(scenario);
  if (problems.length === 0) return scenario;
  throw new Error(`scenario ${scenario.name}: ${problems.join('; ')}`);
}

/** Services behind load balancers that a scenario declares, by name. */
export function loadBalancedServices(scenario: Pick<ClusterScenario, 'objects'>): readonly string[] {
  return scenario.objects
    .filter((object) => object.kind === 'Service' && isBalanced(object))
    .map((object) => object.metadata?.name ?? '');
}

function nodegroupProblems(group: NodegroupSeed, scenario: ClusterScenario): readonly string[] {
  const problems: string[] = [];
  const { minSize: min = 0, size, maxSize: max = Math.max(1, 2 * size) } = group;
  if (!(min >= 0 && min <= size && size <= max && max >= 1)) {
    problems.push(
      `node group ${group.name}: sizes must satisfy min ${min} <= size ${size} <= max ${max}, max at least 1`,
    );
  }
  if (!KUBERNETES_VERSIONS.some((version) => version === group.version)) {
    problems.push(`node group ${group.name}: version ${group.version} is none of ${KUBERNETES_VERSIONS.join(', ')}`);
  }
  for (const zone of group.zones ?? []) {
    if (!scenario.zones.includes(zone)) problems.push(`node group ${group.name}: zone ${zone} is not declared`);
  }
  return problems;
}

function objectProblems(objects: readonly KubernetesObject[]): readonly string[] {
  const keys = objects.map((object) => `${object.kind ?? '?'} ${object.metadata?.name ?? '?'}`);
  return [
    ...objects.flatMap((object, index) =>
      object.apiVersion && object.kind && object.metadata?.name
        ? []
        : [`object ${index + 1} lacks apiVersion, kind or metadata.name`],
    ),
    ...duplicates(keys).map((key) => `${key} is declared twice`),
  ];
}

function targetGroupProblems({
  objects,
  targetGroups = [],
}: Parameters<typeof scenarioProblems>[0]): readonly string[] {
  const services = loadBalancedServices({ objects });
  return targetGroups
    .filter(({ service }) => !services.includes(service))
    .map(({ service }) => `target group settings for ${service}, which is not a Service of type LoadBalancer`);
}

/**
 * Whether a Service is behind a load balancer: by its type, or, whatever the type, by the annotation for network endpoint groups of its pods
 * (ingress-gce, pkg/negannotation/negannotation.go, NEGAnnotationKey).
 */
export function isBalanced(object: KubernetesObject): boolean {
  if (object.metadata?.annotations?.['cloud.google.com/neg'] !== undefined) return true;
  if (!('spec' in object)) return false;
  const { spec } = object;
  return typeof spec === 'object' && spec !== null && 'type' in spec && spec.type === 'LoadBalancer';
}

function duplicates(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
