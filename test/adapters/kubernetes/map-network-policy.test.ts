import { describe, expect, it } from 'vitest';
import { ciliumPolicyFacts, networkPolicyFacts } from '../../../adapters/kubernetes/map-network-policy.ts';

const web = { matchLabels: { app: 'web' } };
const edge = { matchLabels: { app: 'edge' } };
const db = { matchLabels: { app: 'db' } };

describe('a NetworkPolicy', () => {
  it('goes by the labels of its own pods and of those that they talk to', () => {
    const policy = {
      metadata: { namespace: 'shop', name: 'web' },
      spec: {
        podSelector: web,
        ingress: [{ from: [{ podSelector: edge }, {}] }, {}],
        egress: [{ to: [{ podSelector: db, namespaceSelector: {} }, { namespaceSelector: {} }] }],
      },
    };
    expect(networkPolicyFacts(policy)).toEqual({
      key: 'NetworkPolicy shop/web',
      selectors: [{ namespace: 'shop', labels: web }, { namespace: 'shop', labels: edge }, { labels: db }],
    });
  });
});

describe('a policy of Cilium', () => {
  it('names labels with their source, and namespaces by a label', () => {
    const facts = ciliumPolicyFacts({
      kind: 'CiliumNetworkPolicy',
      metadata: { namespace: 'shop', name: 'web' },
      specs: [
        {
          endpointSelector: { matchLabels: { 'k8s:app': 'web' } },
          ingress: [
            { fromEndpoints: [{ matchLabels: { 'k8s:io.kubernetes.pod.namespace': 'edge', 'any:app': 'edge' } }] },
          ],
          egressDeny: [{ toEndpoints: [{ matchExpressions: [{ key: 'app', operator: 'Exists' }] }] }],
        },
      ],
    });
    expect(facts.key).toBe('CiliumNetworkPolicy shop/web');
    expect(facts.selectors).toEqual([
      { namespace: 'shop', labels: { matchLabels: { app: 'web' }, matchExpressions: [] } },
      { labels: { matchLabels: { app: 'edge' }, matchExpressions: [] } },
      { namespace: 'shop', labels: { matchLabels: {}, matchExpressions: [{ key: 'app', operator: 'Exists' }] } },
    ]);
  });

  it('for the whole cluster is about pods of any namespace', () => {
    const spec = { endpointSelector: { matchLabels: { app: 'web' } } };
    const facts = ciliumPolicyFacts({ kind: 'CiliumClusterwideNetworkPolicy', metadata: { name: 'web' }, spec });
    expect(facts).toEqual({
      key: 'CiliumClusterwideNetworkPolicy web',
      selectors: [{ labels: { matchLabels: { app: 'web' }, matchExpressions: [] } }],
    });
  });
});
