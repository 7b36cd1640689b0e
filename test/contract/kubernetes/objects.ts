import type { NodeRef } from '../../../core/model/node.ts';
import type { PodRef } from '../../../core/model/pod.ts';
import type { ControlPlane } from '../../support/control-plane.ts';

interface Created {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
}

/** Creates a Node as a kubelet and a cloud controller would, and returns what names it. */
export async function createNode(
  controlPlane: ControlPlane,
  name: string,
  more: { readonly labels?: Record<string, string>; readonly spec?: object } = {},
): Promise<NodeRef> {
  const zone = 'eu-west-1a';
  const instanceId = `i-${name}`;
  const created = await controlPlane.api<Created>('POST', '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'eks.amazonaws.com/nodegroup': 'web', 'topology.kubernetes.io/zone': zone, ...more.labels },
    },
    spec: { providerID: `aws:///${zone}/${instanceId}`, ...more.spec },
  });
  return { name, uid: created.metadata.uid, instanceId, zone };
}

/** Creates a pod bound to a node; with `ready`, also writes the status that a kubelet would. */
export async function createPod(
  controlPlane: ControlPlane,
  name: string,
  options: {
    readonly node?: string;
    readonly labels?: Record<string, string>;
    readonly ready?: boolean;
    readonly owner?: object;
    readonly finalizers?: readonly string[];
    readonly annotations?: Record<string, string>;
    readonly spec?: object;
  } = {},
): Promise<PodRef> {
  const created = await controlPlane.api<Created>('POST', '/api/v1/namespaces/default/pods', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      labels: options.labels ?? {},
      annotations: options.annotations ?? {},
      ...(options.owner === undefined ? {} : { ownerReferences: [options.owner] }),
      ...(options.finalizers === undefined ? {} : { finalizers: options.finalizers }),
    },
    spec: {
      ...(options.node === undefined ? {} : { nodeName: options.node }),
      containers: [{ name: 'app', image: 'app.example/app:1' }],
      ...options.spec,
    },
  });
  if (options.ready === true) {
    await controlPlane.api('PATCH', `/api/v1/namespaces/default/pods/${name}/status`, {
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    });
  }
  return { namespace: 'default', name, uid: created.metadata.uid };
}

/** Creates a PodDisruptionBudget over `app=<name>`. */
export async function createBudget(controlPlane: ControlPlane, name: string, spec: object, app = name): Promise<void> {
  await controlPlane.api('POST', '/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name },
    spec: { selector: { matchLabels: { app } }, ...spec },
  });
}

/** Grants `nodeferry` what deploy/rbac grants, and nothing else. */
export function grantDeployedRoles(controlPlane: ControlPlane): void {
  controlPlane.kubectl(['apply', '-f', new URL('../../../deploy/rbac/', import.meta.url).pathname]);
}

/** Reads an object as the API server has it. */
export function readNode(controlPlane: ControlPlane, name: string): Promise<NodeJson> {
  return controlPlane.api<NodeJson>('GET', `/api/v1/nodes/${name}`);
}

/** What tests check in a Node. */
interface NodeJson {
  readonly metadata: { readonly labels: Record<string, string>; readonly annotations?: Record<string, string> };
  readonly spec: { readonly unschedulable?: boolean; readonly taints?: readonly { key: string; effect: string }[] };
}
