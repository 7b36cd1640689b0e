/** Building blocks of scenarios: plain workloads as most teams write them, without any preStop hook. */
import { basename, dirname, join } from 'node:path';
import type {
  V1Container,
  V1DaemonSet,
  V1Deployment,
  V1LifecycleHandler,
  V1PodDisruptionBudget,
  V1PodSpec,
  V1Service,
  V1Toleration,
  V1TopologySpreadConstraint,
  V1Volume,
} from '@kubernetes/client-node';
import { IMAGES } from '../cluster/images.ts';
import { INSTANCE_LABEL } from '../cluster/pruner.ts';
import type { ProberConfig } from '../traffic/prober.ts';

const APP_PORT = 8080;
/** Where the prober's output folder is inside its container. */
const OUTPUT_FOLDER = '/output';
const ANNOTATION = 'service.beta.kubernetes.io/aws-load-balancer';

/** A Deployment of the lab's app. */
interface DeploymentOptions {
  readonly name: string;
  readonly replicas: number;
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** Additional container environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** What its pods need to run on tainted nodes; none by default. */
  readonly tolerations?: readonly V1Toleration[];
  /** File on the host, inside the lab's shared folder: while it exists no pod is ready, although all could serve. */
  readonly unreadyFile?: string;
  /** Its pods must be spread over zones, by a rule that also counts pods of all versions and those without an owner. */
  readonly requiresZones?: boolean;
  /** Conditions that its pods must have to be ready, besides those of the kubelet. */
  readonly readinessGates?: readonly string[];
  /** How its pods end; as Kubernetes ends them by default unless given. */
  readonly ending?: PodEnding;
}

/** How a pod ends. */
export interface PodEnding {
  readonly preStop?: V1LifecycleHandler;
  readonly terminationGracePeriodSeconds: number;
  /** How long it stays ready although its readiness probe fails. */
  readonly readiness: { readonly periodSeconds: number; readonly failureThreshold: number };
}

const ZONE = 'topology.kubernetes.io/zone';

/** A Deployment whose pods prefer to be spread over nodes and zones, unless they must be. */
export function deployment(options: DeploymentOptions): V1Deployment {
  const labels = { app: options.name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: options.name, namespace: 'default', labels },
    spec: {
      replicas: options.replicas,
      selector: { matchLabels: labels },
      template: {
        // As Helm charts label the pods of a release; nothing selects by it.
        metadata: { labels: { ...labels, [INSTANCE_LABEL]: 'shop' } },
        spec: {
          ...appPod(options.nodeSelector, options.env ?? {}, options.unreadyFile, options.ending),
          tolerations: [...(options.tolerations ?? [])],
          ...(options.readinessGates && {
            readinessGates: options.readinessGates.map((conditionType) => ({ conditionType })),
          }),
          topologySpreadConstraints:
            options.requiresZones === true ? [requiredSpread(labels)] : preferredSpread(labels),
        },
      },
    },
  };
}

function preferredSpread(matchLabels: Record<string, string>): V1TopologySpreadConstraint[] {
  return [ZONE, 'kubernetes.io/hostname'].map((topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    // A hard rule would leave pods pending while the pool is being replaced.
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels },
    // Counts only the pods of one version of the template, as rollouts need it.
    matchLabelKeys: ['pod-template-hash'],
  }));
}

/** As it is usually written: with only the labels of the application. */
function requiredSpread(matchLabels: Record<string, string>): V1TopologySpreadConstraint {
  return { maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels } };
}

/** A DaemonSet of the lab's app with only the tolerations that every DaemonSet pod has. */
export function daemonSet(options: {
  readonly name: string;
  readonly nodeSelector: Readonly<Record<string, string>>;
}): V1DaemonSet {
  const labels = { app: options.name };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: options.name, namespace: 'default', labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: appPod(options.nodeSelector, {}) },
    },
  };
}

/** A Service behind a Network Load Balancer, created by the AWS cloud controller manager. */
interface LoadBalancerServiceOptions {
  readonly name: string;
  /** Fixed, so that pods can be configured with it before it exists. */
  readonly clusterIP: string;
  readonly externalTrafficPolicy: 'Local' | 'Cluster';
  /** 5-300; the cloud controller manager's default is 10. */
  readonly healthCheckIntervalSeconds: number;
}

/** A Service of type LoadBalancer on port 80. */
export function loadBalancerService(options: LoadBalancerServiceOptions): V1Service {
  const { name, clusterIP, externalTrafficPolicy, healthCheckIntervalSeconds } = options;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      ...serviceMetadata(name),
      annotations: {
        [`${ANNOTATION}-type`]: 'nlb',
        [`${ANNOTATION}-healthcheck-interval`]: String(healthCheckIntervalSeconds),
        [`${ANNOTATION}-healthcheck-healthy-threshold`]: '2',
        [`${ANNOTATION}-healthcheck-unhealthy-threshold`]: '2',
      },
    },
    spec: { type: 'LoadBalancer', clusterIP, externalTrafficPolicy, ...servicePorts(name) },
  };
}

/** A Service of type ClusterIP on port 80. */
export function clusterIPService(options: { readonly name: string; readonly clusterIP: string }): V1Service {
  const { name, clusterIP } = options;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: serviceMetadata(name),
    spec: { type: 'ClusterIP', clusterIP, ...servicePorts(name) },
  };
}

/** Name, namespace and label of a Service. */
export function serviceMetadata(name: string) {
  return { name, namespace: 'default', labels: { app: name } };
}

/** Selector and ports of a Service on port 80 in front of the pods of that name. */
export function servicePorts(name: string) {
  return { selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: APP_PORT, protocol: 'TCP' }] };
}

/** A PodDisruptionBudget for the pods of a Deployment. */
export function disruptionBudget(name: string, maxUnavailable: number): V1PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'default' },
    spec: { maxUnavailable, selector: { matchLabels: { app: name } } },
  };
}

/** A prober that runs in the cluster for as long as the lab does. */
interface ProberOptions {
  readonly name: string;
  readonly config: ProberConfig;
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly V1Toleration[];
  /** File on the host for its JSON lines; inside the lab's shared folder. */
  readonly output: string;
}

/** A Deployment of one prober pod. */
export function proberDeployment(options: ProberOptions): V1Deployment {
  const { name, config, nodeSelector, tolerations, output } = options;
  const labels = { app: name };
  const volume = { name: 'output', hostPath: { path: dirname(output), type: 'Directory' } };
  const container = {
    name: 'prober',
    image: IMAGES.prober,
    imagePullPolicy: 'Never',
    args: ['-config', 'env:TRAFFIC', '-out', join(OUTPUT_FOLDER, basename(output)), '-max', '12h', '-grace', '1s'],
    env: [{ name: 'TRAFFIC', value: JSON.stringify(config) }],
    resources: { requests: { cpu: '100m', memory: '16Mi' } },
    volumeMounts: [{ name: volume.name, mountPath: OUTPUT_FOLDER }],
  } satisfies V1Container;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default', labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          dnsPolicy: 'Default',
          nodeSelector: { ...nodeSelector },
          tolerations: [...tolerations],
          containers: [container],
          volumes: [volume],
        },
      },
    },
  };
}

/** What pods need to run on nodes that are tainted `key=value:NoSchedule`. */
export function toleration(key: string, value: string): V1Toleration {
  return { key, operator: 'Equal', value, effect: 'NoSchedule' };
}

/** A pod of the lab's app: readiness is checked every second with a long timeout; otherwise the defaults of Kubernetes. */
function appPod(
  nodeSelector: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
  unreadyFile?: string,
  ending?: PodEnding,
) {
  const volumes =
    unreadyFile === undefined
      ? []
      : [{ name: 'shared', hostPath: { path: dirname(unreadyFile), type: 'Directory' } } satisfies V1Volume];
  const container = {
    name: 'app',
    image: IMAGES.app,
    imagePullPolicy: 'Never',
    ports: [{ name: 'http', containerPort: APP_PORT }],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
      ...(unreadyFile === undefined ? [] : [{ name: 'UNREADY_FILE', value: unreadyFile }]),
      ...Object.entries(env).map(([name, value]) => ({ name, value })),
    ],
    volumeMounts: volumes.map(({ name, hostPath }) => ({ name, mountPath: hostPath.path, readOnly: true })),
    // A pod that is slow because the host is busy stays ready; one that refuses connections or reports that it is not ready is noticed at once.
    readinessProbe: {
      httpGet: { path: '/readyz', port: 'http' },
      periodSeconds: 1,
      failureThreshold: 1,
      timeoutSeconds: 5,
      ...ending?.readiness,
    },
    ...(ending?.preStop === undefined ? {} : { lifecycle: { preStop: ending.preStop } }),
    // A request gives the container its own CPU share; without one it would starve beside a busy neighbour.
    resources: { requests: { cpu: '100m', memory: '16Mi' } },
  } satisfies V1Container;
  return {
    automountServiceAccountToken: false,
    nodeSelector: { ...nodeSelector },
    containers: [container],
    volumes,
    ...(ending === undefined ? {} : { terminationGracePeriodSeconds: ending.terminationGracePeriodSeconds }),
  } satisfies V1PodSpec;
}
