import type { WantedAttributes } from '../../../core/audit/cloud-terms.ts';
import type { Fix } from '../../../core/audit/fix.ts';
import type { TargetGroupFacts } from '../../../core/model/target-group.ts';
import { backendOf } from './discover-pods.ts';
import { podEndpoints, targetPool } from './kinds.ts';
import { nameIn } from './paths.ts';

type Group = Pick<TargetGroupFacts, 'id' | 'kind' | 'service' | 'mayReadLabelWithCordon'>;

/**
 * How to set attributes of a backend service at what owns them. Undefined where nothing sets one of them: target pools drain nothing ("Using target
 * pools"), and no load balancer here has zones of its own or keeps connections beyond their drain time.
 *
 * Behind an Ingress, a BackendConfig sets draining and affinity, and ingress-gce writes over what it says (v1.41.1, pkg/backends/features/draining.go and
 * affinity.go); behind a Gateway, a GCPBackendPolicy does ("Configure Gateway resources using Policies"). Both guides forbid other ways ("You cannot
 * manually configure LoadBalancer features using the Google Cloud SDK"). Nobody writes over a backend service that somebody has made for groups of pods.
 */
export function setAttributes(group: Group, wanted: WantedAttributes): Fix | undefined {
  const { crossZone, endsDrained, drainSeconds, endsUnhealthy, sticky } = wanted;
  if (group.kind === targetPool || crossZone !== undefined || endsDrained !== undefined) return undefined;
  const owner = ownerOf(group);
  if (owner === 'service' || owner === 'nobody') return atBackendService(group, owner, wanted);
  if (endsUnhealthy !== undefined) return undefined;
  const field = {
    ...(drainSeconds === undefined ? {} : { connectionDraining: `drainingTimeoutSec: ${drainSeconds}` }),
    ...(sticky === undefined ? {} : { sessionAffinity: `${owner === 'ingress' ? 'affinityType' : 'type'}: NONE` }),
  };
  return owner === 'ingress' ? inBackendConfig(group, field) : inBackendPolicy(group, field);
}

type Owner = 'service' | 'ingress' | 'gateway' | 'nobody';

/**
 * Who writes the settings of the backend service. Its name says it: ingress-gce calls those of Ingresses `k8s-be-PORT--CLUSTER` and `k8sN-CLUSTER-…`
 * (pkg/utils/namer/namer.go, IGBackend and NEG), and finds its own by that (NameBelongsToEntity); the controller of Gateways `gkegwN-…` (annotation
 * `networking.gke.io/backend-services` of any Gateway).
 */
function ownerOf({ id, kind }: Group): Owner {
  const name = nameIn(backendOf({ id }));
  if (name.startsWith('k8s-be-')) return 'ingress';
  if (kind !== podEndpoints) return 'service';
  if (/^gkegw\d-/.test(name)) return 'gateway';
  return /^k8s\d-/.test(name) ? 'ingress' : 'nobody';
}

/**
 * For a Service, ingress-gce keeps a drain time that somebody has set (pkg/l4/backends/backends.go, EnsureL4BackendService and backendSvcEqual). The cloud
 * controller manager replaces the whole backend service without it once anything else of it differs (cloud-provider-gcp,
 * providers/gce/gce_loadbalancer_internal.go, ensureInternalBackendService). By default TCP connections persist on an unhealthy backend (Compute API
 * reference, BackendServiceConnectionTrackingPolicy); flags: gcloud reference, `compute backend-services update`.
 */
function atBackendService(group: Group, owner: Owner, { drainSeconds, endsUnhealthy, sticky }: WantedAttributes): Fix {
  const path = backendOf(group);
  const region = /^regions\/([^/]+)\//.exec(path)?.[1];
  const flags = [
    ...(drainSeconds === undefined ? [] : [`--connection-draining-timeout=${drainSeconds}`]),
    ...(endsUnhealthy === undefined ? [] : ['--connection-persistence-on-unhealthy-backends=DEFAULT_FOR_PROTOCOL']),
    ...(sticky === undefined ? [] : ['--session-affinity=NONE']),
  ];
  const where = region === undefined ? '--global' : `--region=${region}`;
  const isForgotten = group.mayReadLabelWithCordon === true && owner === 'service';
  return {
    text: isForgotten
      ? 'Set it at the backend service itself. Its controller may write that anew, without it, when the Service or the zones of the nodes change: check it again before a run.'
      : 'Set it at the backend service itself: no controller takes it back.',
    commands: [`gcloud compute backend-services update ${nameIn(path)} ${where} ${flags.join(' ')}`],
  };
}

type Fields = Readonly<Record<string, string>>;

/** "Ingress configuration on Google Cloud", Associating BackendConfig with your Ingress. */
function inBackendConfig({ service }: Group, fields: Fields): Fix {
  const [namespace = '', name = ''] = service.split('/');
  return {
    text: 'Add it to the BackendConfig that the Service names, or give the Service this one: its controller applies it within minutes. A time that is set at the backend service itself is not supported.',
    yaml: [
      `# if annotation cloud.google.com/backend-config of the Service names a BackendConfig already, add the spec to that one only`,
      'apiVersion: cloud.google.com/v1',
      'kind: BackendConfig',
      ...metadata(namespace, name),
      'spec:',
      ...indent(fields, 2),
      '---',
      'apiVersion: v1',
      'kind: Service',
      `metadata: # kubectl -n ${namespace} edit service ${name}`,
      '  annotations:',
      `    cloud.google.com/backend-config: '{"default": "${name}"}'`,
    ].join('\n'),
  };
}

function inBackendPolicy({ service }: Group, fields: Fields): Fix {
  const [namespace = '', name = ''] = service.split('/');
  return {
    text: 'Add it to the GCPBackendPolicy of the Service, or give it this one: its controller applies it within minutes.',
    yaml: [
      '# if the Service has a GCPBackendPolicy already, add the fields of `default` to that one only',
      'apiVersion: networking.gke.io/v1',
      'kind: GCPBackendPolicy',
      ...metadata(namespace, name),
      'spec:',
      '  default:',
      ...indent(fields, 4),
      '  targetRef:',
      '    group: ""',
      '    kind: Service',
      `    name: ${name}`,
    ].join('\n'),
  };
}

function metadata(namespace: string, name: string): readonly string[] {
  return ['metadata:', `  namespace: ${namespace}`, `  name: ${name}`];
}

function indent(fields: Fields, width: number): readonly string[] {
  const margin = ' '.repeat(width);
  return Object.entries(fields).flatMap(([key, value]) => [`${margin}${key}:`, `${margin}  ${value}`]);
}
