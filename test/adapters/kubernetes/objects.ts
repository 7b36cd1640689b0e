import type { MappedObjects } from '../../../adapters/kubernetes/map.ts';

/** Objects as an EKS cluster's API server answers them, shortened to what a reader of the tests needs. */

/** A node of a managed node group. */
export const eksNode = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'ip-10-0-1-17.eu-west-1.compute.internal',
    uid: '5d0d9c0e-6c0e-4f65-9a52-3a1c6a3f7a01',
    resourceVersion: '81234',
    labels: {
      'eks.amazonaws.com/nodegroup': 'web',
      'kubernetes.io/hostname': 'ip-10-0-1-17.eu-west-1.compute.internal',
      'topology.kubernetes.io/zone': 'eu-west-1a',
    },
    annotations: { 'node.alpha.kubernetes.io/ttl': '0' },
  },
  spec: { providerID: 'aws:///eu-west-1a/i-0abc1234def567890' },
  status: {
    conditions: [
      { type: 'MemoryPressure', status: 'False' },
      { type: 'Ready', status: 'True', reason: 'KubeletReady' },
    ],
    nodeInfo: {
      architecture: 'amd64',
      bootID: '0f7c3a52-3f5e-4f0a-9f0e-4d1d1e6b7a10',
      containerRuntimeVersion: 'containerd://2.1.4',
      kernelVersion: '6.12.40-63.114.amzn2023.x86_64',
      kubeProxyVersion: '',
      kubeletVersion: 'v1.35.9-eks-1a2b3c4',
      machineID: 'ec2a1b2c3d4e5f60718293a4b5c6d7e8',
      operatingSystem: 'linux',
      osImage: 'Amazon Linux 2023.8.20250915',
      systemUUID: 'ec2a1b2c-3d4e-5f60-7182-93a4b5c6d7e8',
    },
  },
};

/** A pod of a Deployment, running and ready. */
export const deploymentPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web-7d4b9c6f5-x2x8p',
    namespace: 'shop',
    uid: 'a0f1c5de-0d5e-4b1f-8e8c-5d8d4f4f0b11',
    resourceVersion: '81300',
    labels: { app: 'web', 'pod-template-hash': '7d4b9c6f5' },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: 'web-7d4b9c6f5',
        uid: 'rs-web',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  },
  spec: {
    nodeName: 'ip-10-0-1-17.eu-west-1.compute.internal',
    terminationGracePeriodSeconds: 60,
    containers: [
      {
        name: 'app',
        image: 'shop/web:3',
        ports: [{ containerPort: 8080 }],
        lifecycle: { preStop: { sleep: { seconds: 15 } } },
      },
      { name: 'log-shipper', image: 'logs/shipper:1' },
    ],
    volumes: [{ name: 'scratch', emptyDir: {} }],
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
  },
  status: {
    phase: 'Running',
    conditions: [
      { type: 'PodScheduled', status: 'True' },
      { type: 'Ready', status: 'True' },
    ],
  },
};

/** A Service behind a network load balancer that keeps the client's address. */
export const localService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop', uid: 'svc-web' },
  spec: {
    type: 'LoadBalancer',
    externalTrafficPolicy: 'Local',
    healthCheckNodePort: 31234,
    selector: { app: 'web' },
    ports: [
      { name: 'http', port: 80, targetPort: 8080, nodePort: 30080, protocol: 'TCP' },
      { name: 'https', port: 443, targetPort: 8443, nodePort: 30443, protocol: 'TCP' },
    ],
  },
  status: { loadBalancer: { ingress: [{ hostname: 'web-1234.elb.eu-west-1.amazonaws.com' }] } },
};

/** One slice of that Service's endpoints; `conditions` are those of its only endpoint. */
export function slice(name: string, addressType: string, conditions: object, podUid = deploymentPod.metadata.uid) {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType,
    endpoints: [
      {
        addresses: [addressType === 'IPv6' ? 'fd00::7' : '10.0.1.77'],
        conditions,
        nodeName: deploymentPod.spec.nodeName,
        targetRef: { kind: 'Pod', namespace: 'shop', name: deploymentPod.metadata.name, uid: podUid },
        zone: 'eu-west-1a',
      },
    ],
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  };
}

/** A budget over that Deployment. */
export const budget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } },
  status: { currentHealthy: 4, desiredHealthy: 3, disruptionsAllowed: 1, expectedPods: 4, observedGeneration: 1 },
};

/** The ReplicaSet of that Deployment's newest template. */
export const replicaSet = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: {
    name: 'web-7d4b9c6f5',
    namespace: 'shop',
    uid: 'rs-web',
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd-web', controller: true }],
  },
  spec: { replicas: 4, selector: { matchLabels: { app: 'web', 'pod-template-hash': '7d4b9c6f5' } } },
};

/** Caches that hold nothing. */
export const nothing: MappedObjects = {
  nodes: [],
  pods: [],
  services: [],
  endpointSlices: [],
  podDisruptionBudgets: [],
  volumeAttachments: [],
  replicaSets: [],
  deployments: [],
  statefulSets: [],
  daemonSets: [],
};
