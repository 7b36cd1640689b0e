import type { V1Node } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { nodeFacts as factsOf, instanceIdOf } from '../../../adapters/kubernetes/map-node.ts';
import { providerNodeLabels } from '../../../wiring/cluster.ts';
import { eksNode } from './objects.ts';

const nodeFacts = (node: V1Node) => factsOf(node, providerNodeLabels);
const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';

describe('a node', () => {
  const labelled = (labels: Record<string, string>) =>
    nodeFacts({ ...eksNode, metadata: { ...eksNode.metadata, labels: { ...eksNode.metadata.labels, ...labels } } });

  it('has its instance, zone, pool and version', () => {
    expect(nodeFacts(eksNode)).toEqual({
      name: 'ip-10-0-1-17.eu-west-1.compute.internal',
      uid: '5d0d9c0e-6c0e-4f65-9a52-3a1c6a3f7a01',
      instanceId: 'i-0abc1234def567890',
      providerId: 'aws:///eu-west-1a/i-0abc1234def567890',
      zone: 'eu-west-1a',
      pool: 'web',
      poolLabels: {
        name: 'eks.amazonaws.com/nodegroup',
        others: ['eks.amazonaws.com/nodegroup-image', 'eks.amazonaws.com/sourceLaunchTemplateVersion'],
      },
      kubeletVersion: 'v1.35.9-eks-1a2b3c4',
      ready: true,
      cordoned: false,
      excluded: false,
      ownership: {},
      labels: eksNode.metadata.labels,
      taints: [],
    });
  });

  it('belongs to no pool without the label of a provider', () => {
    const facts = nodeFacts({ ...eksNode, metadata: { ...eksNode.metadata, labels: {} } });
    expect(facts.pool).toBeUndefined();
    expect(facts).not.toHaveProperty('poolLabels');
    expect(factsOf(eksNode, []).pool).toBeUndefined();
  });

  it('was made for one pod when its provider’s labels say so', () => {
    expect(labelled({ 'eks.amazonaws.com/compute-type': 'fargate' })).toMatchObject({ madeForOnePod: true });
    expect(labelled({})).not.toHaveProperty('madeForOnePod');
  });

  it('has the runs that own it', () => {
    const annotations = {
      'nodeferry.dev/cordoned-by': 'run-1',
      'nodeferry.dev/excluded-by': 'run-2',
      'nodeferry.dev/disrupted-by': 'run-3',
      'nodeferry.dev/fence': 'run-2 1.3.2',
    };
    const taints = [{ key: 'nodeferry.dev/disrupted', value: 'run-3', effect: 'NoSchedule' }];
    const facts = nodeFacts({
      ...eksNode,
      metadata: { ...eksNode.metadata, annotations },
      spec: { ...eksNode.spec, unschedulable: true, taints },
    });
    expect(facts).toMatchObject({
      cordoned: true,
      ownership: {
        cordonedBy: 'run-1',
        excludedBy: 'run-2',
        disruptedBy: 'run-3',
        fence: { run: 'run-2', round: 1, step: 3, attempt: 2 },
      },
      taints,
    });
  });

  it('is excluded by any value of the label but a word for false', () => {
    for (const value of ['true', '', 'karpenter', 'no'])
      expect(labelled({ [excludeLabel]: value }).excluded).toBe(true);
    for (const value of ['false', 'False', '0', 'f'])
      expect(labelled({ [excludeLabel]: value })).toMatchObject({ excluded: false, deniesExclusion: true });
    expect(labelled({ [excludeLabel]: 'true' })).not.toHaveProperty('deniesExclusion');
    expect(labelled({})).not.toHaveProperty('deniesExclusion');
  });

  it('is not ready and has the time since which its kubelet is silent', () => {
    const since = (status: string) => {
      const condition = { type: 'Ready', status, lastTransitionTime: new Date(90_000) };
      return nodeFacts({ ...eksNode, status: { conditions: [condition] } });
    };
    expect(since('Unknown')).toMatchObject({ ready: false, unknownSince: 90_000 });
    expect(since('False')).toMatchObject({ ready: false });
    expect(since('False')).not.toHaveProperty('unknownSince');
    expect(since('True')).not.toHaveProperty('unknownSince');
    expect(nodeFacts({ metadata: { name: 'new' } })).toMatchObject({ ready: false, instanceId: '', zone: '' });
  });

  it('has its owner’s request to leave it alone', () => {
    const annotated = (value: string) =>
      nodeFacts({
        ...eksNode,
        metadata: { ...eksNode.metadata, annotations: { 'karpenter.sh/do-not-disrupt': value } },
      });
    expect(annotated('true')).toMatchObject({ doNotDisrupt: true });
    for (const value of ['false', '4h']) expect(annotated(value)).not.toHaveProperty('doNotDisrupt');
  });

  it('has its owner’s request that the cluster autoscaler keeps it', () => {
    const annotations = (value: string) => ({ 'cluster-autoscaler.kubernetes.io/scale-down-disabled': value });
    const annotated = (value: string) =>
      nodeFacts({ ...eksNode, metadata: { ...eksNode.metadata, annotations: annotations(value) } });
    expect(annotated('true').scaleDownDisabled).toBe(true);
    expect(annotated('false')).not.toHaveProperty('scaleDownDisabled');
  });

  it('has the instance of any cloud as the last part of the provider id', () => {
    expect(instanceIdOf('gce://project/europe-west1-b/gke-web-1')).toBe('gke-web-1');
    expect(instanceIdOf(undefined)).toBe('');
  });
});
