import type { V1ObjectMeta } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { podGroupsOfGke } from '../../../adapters/gcp/load-balancers/pod-groups-annotation.ts';
import { budgetFacts } from '../../../adapters/kubernetes/map-budget.ts';
import { serviceFacts } from '../../../adapters/kubernetes/map-service.ts';
import { deploymentFacts } from '../../../adapters/kubernetes/map-workload.ts';
import { auditOf, webPods } from '../support/audited-cluster.ts';
import { aBudget, aService, aWorkload } from '../support/facts.ts';

const marks: readonly (readonly [string | undefined, V1ObjectMeta])[] = [
  ['Argo CD', { annotations: { 'argocd.argoproj.io/tracking-id': 'web:apps/Deployment:default/web' } }],
  ['Flux', { labels: { 'helm.toolkit.fluxcd.io/name': 'web' }, annotations: { 'meta.helm.sh/release-name': 'web' } }],
  ['Flux', { labels: { 'kustomize.toolkit.fluxcd.io/name': 'web' } }],
  ['Helm', { annotations: { 'meta.helm.sh/release-name': 'web' } }],
  [undefined, { labels: { app: 'web' } }],
];

test.each(marks)('%s is told by what it writes on its objects', (tool, metadata) => {
  expect(deploymentFacts({ metadata }).writtenBy).toBe(tool);
  expect(serviceFacts({ metadata }, podGroupsOfGke)?.writtenBy).toBe(tool);
  expect(budgetFacts({ metadata }).facts.writtenBy).toBe(tool);
});

const by = { writtenBy: 'Helm' };

test('a command says that it is undone where the object is written from a source', () => {
  const { findings } = auditOf({
    cluster: {
      services: [aService('web', webPods(), { publishNotReadyAddresses: true, ...by })],
      budgets: [{ ...aBudget('web', webPods(), 4), ...by }],
      workloads: [aWorkload('web', 4, { mayLack: 4, ...by })],
    },
  });
  const textOf = (wanted: string) => findings.find(({ rule }) => rule === wanted)?.fix.text;
  expect(textOf('SVC-005')).toContain('Helm writes Service default/web: change it in its source too');
  expect(textOf('WKL-003')).toContain('Helm writes PodDisruptionBudget default/web');
  expect(textOf('WKL-020')).toContain('Helm writes Deployment default/web');
});
