import type { V1MutatingWebhookConfiguration, V1PersistentVolume } from '@kubernetes/client-node';
import { expect, it } from 'vitest';
import {
  apiServiceFacts,
  localVolumeFacts,
  nodePoolFacts,
  resizerFacts,
  webhookFacts,
} from '../../../adapters/kubernetes/map-surroundings.ts';

it('keeps of volumes those that are bound to one node', () => {
  const volume = (key: string, claimRef?: object) => {
    const nodeSelectorTerms = [{ matchExpressions: [{ key, operator: 'In', values: ['n1'] }] }];
    const spec = { claimRef, nodeAffinity: { required: { nodeSelectorTerms } } };
    return localVolumeFacts({ metadata: { name: 'pv-1' }, spec } as V1PersistentVolume);
  };
  const volumeClaim = { namespace: 'shop', name: 'data' };
  const told = { volumeClaim: 'shop/data', volume: 'pv-1' };
  expect(volume('kubernetes.io/hostname', volumeClaim)).toEqual([{ ...told, boundBy: 'kubernetes.io/hostname' }]);
  expect(volume('topology.topolvm.io/node', volumeClaim)).toEqual([{ ...told, boundBy: 'topology.topolvm.io/node' }]);
  expect(volume('topology.ebs.csi.aws.com/zone', volumeClaim)).toEqual([]);
  expect(volume('kubernetes.io/hostname')).toEqual([]);
  expect(localVolumeFacts({ metadata: { name: 'pv-2' } })).toEqual([]);
});

it('keeps of vertical autoscalers those that resize pods', () => {
  const vpa = (kind: string, updateMode?: string) =>
    resizerFacts({
      metadata: { namespace: 'shop', name: 'web' },
      spec: {
        targetRef: { kind, name: 'web' },
        ...(updateMode === undefined ? {} : { updatePolicy: { updateMode } }),
      },
    });
  expect(vpa('Deployment')).toEqual([{ key: 'VerticalPodAutoscaler shop/web', workload: 'Deployment shop/web' }]);
  expect(vpa('Deployment', 'Initial')).toHaveLength(1);
  expect(vpa('Deployment', 'Off')).toEqual([]);
  expect(vpa('CronJob')).toEqual([]);
});

it('keeps of webhooks those that are asked about new pods, and knows which must answer', () => {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
  const hook = (changes: object) => {
    const clientConfig = { service: { namespace: 'policies', name: 'hook' } };
    const webhook = { name: 'pods.example.com', clientConfig, rules: [rule], ...changes };
    const configuration = { metadata: { name: 'p' }, webhooks: [webhook] };
    return webhookFacts('MutatingWebhookConfiguration', configuration as unknown as V1MutatingWebhookConfiguration);
  };
  const told = [{ key: 'MutatingWebhookConfiguration p, webhook pods.example.com', service: 'policies/hook' }];
  expect(hook({})).toEqual(told);
  expect(hook({ rules: [{ ...rule, apiGroups: ['*'], operations: ['*'], resources: ['*/*'] }] })).toEqual(told);
  expect(hook({ failurePolicy: 'Ignore' })).toEqual([{ ...told[0], failsOpen: true }]);
  expect(hook({ rules: [{ ...rule, operations: ['UPDATE'] }] })).toEqual([]);
  expect(hook({ rules: [{ ...rule, resources: ['pods/eviction'] }] })).toEqual([]);
  expect(hook({ clientConfig: { url: 'https://elsewhere' } })).toEqual([]);
});

it('keeps of the parts of the API those that pods serve', () => {
  const part = (service?: object) =>
    apiServiceFacts({ metadata: { name: 'v1beta1.metrics.k8s.io' }, spec: { service } as never });
  const told = { key: 'APIService v1beta1.metrics.k8s.io', service: 'kube-system/metrics-server' };
  expect(part({ namespace: 'kube-system', name: 'metrics-server' })).toEqual([told]);
  expect(part()).toEqual([]);
});

it.each([
  [[{ nodes: '0' }], true],
  [[{ nodes: '10%' }, { nodes: '0%' }], true],
  [[{ nodes: '0', schedule: '0 9 * * 1-5' }], false],
  [[{ nodes: '0', reasons: ['Drifted'] }], false],
  [[{ nodes: '10' }], false],
  [undefined, false],
])('a NodePool with budgets %j is frozen: %s', (budgets, frozen) => {
  const disruption = budgets === undefined ? {} : { budgets };
  expect(nodePoolFacts({ metadata: { name: 'spot' }, spec: { disruption } })).toEqual({
    name: 'spot',
    label: 'karpenter.sh/nodepool',
    frozen,
  });
});
