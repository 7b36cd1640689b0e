import type { V1MutatingWebhookConfiguration, V1PersistentVolume } from '@kubernetes/client-node';
import { expect, it } from 'vitest';
import { localVolumeFacts, resizerFacts, webhookFacts } from '../../../adapters/kubernetes/map-surroundings.ts';

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

it('keeps of webhooks those without whose word no pod can be created', () => {
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
  expect(hook({ failurePolicy: 'Ignore' })).toEqual([]);
  expect(hook({ rules: [{ ...rule, operations: ['UPDATE'] }] })).toEqual([]);
  expect(hook({ rules: [{ ...rule, resources: ['pods/eviction'] }] })).toEqual([]);
  expect(hook({ clientConfig: { url: 'https://elsewhere' } })).toEqual([]);
});
