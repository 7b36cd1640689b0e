import { expect, test } from 'vitest';
import { formatObject } from '../../../core/audit/rule.ts';
import { auditOf, webPods } from '../support/audited-cluster.ts';
import { aPod } from '../support/facts.ts';
import type { PodFacts } from '../support/model.ts';

const only = 'default/web';
const foundAt = (pods: readonly PodFacts[]) =>
  auditOf({ pods: [...webPods(), ...pods], only }).findings.map(
    ({ rule, object }) => `${rule} ${formatObject(object)}`,
  );
const bare = (name: string, app: string) =>
  aPod(name, 'n1', { labels: { app }, ownerKind: 'none', ownerName: '', workload: undefined as never });

test.each([
  ['INF-005 Deployment kube-system/lbc', { 'app.kubernetes.io/name': 'aws-load-balancer-controller' }, 'lbc'],
  ['INF-011 Deployment kube-system/coredns', { 'k8s-app': 'kube-dns' }, 'coredns'],
])('%s belongs to every Service', (found, labels, name) => {
  const pod = aPod(`${name}-1`, 'n2', {
    namespace: 'kube-system',
    labels,
    workload: `Deployment kube-system/${name}`,
  });

  expect(foundAt([pod])).toContain(found);
});

test.each([
  ['both of two', ['web-a', 'web-b'], 'WKL-017 Pod default/web-a, web-b'],
  ['some of many', ['web-a', 'web-b', 'web-c', 'web-d'], 'WKL-017 Pod default/web-a, web-b, web-c and 1 more'],
])('pods of the Service without a controller belong to it: %s', (_, names, found) => {
  expect(foundAt(names.map((name) => bare(name, 'web')))).toContain(found);
});

test.each([
  ['all named', ['job-a', 'job-b']],
  ['not all named', ['job-a', 'job-b', 'job-c', 'job-d']],
])('pods that are not of the Service do not belong to it: %s', (_, names) => {
  expect(foundAt(names.map((name) => bare(name, 'job'))).filter((found) => found.startsWith('WKL-017'))).toEqual([]);
});
