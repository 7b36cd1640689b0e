import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readClusterName } from '../../../adapters/kubernetes/kubeconfig.ts';

test.each([
  ['arn:aws:eks:eu-west-1:111122223333:cluster/prod', { name: 'prod', region: 'eu-west-1' }],
  ['arn:aws-us-gov:eks:us-gov-west-1:111122223333:cluster/prod', { name: 'prod', region: 'us-gov-west-1' }],
  ['prod.eu-west-1.eksctl.io', { name: 'prod', region: 'eu-west-1' }],
  ['my.prod.eu-west-1.eksctl.io', { name: 'my.prod', region: 'eu-west-1' }],
  ['gke_shop-prod_europe-west1-b_prod', { name: 'prod', region: 'europe-west1-b', locator: { project: 'shop-prod' } }],
  ['gke_prod', { name: 'gke_prod' }],
  ['kubernetes', { name: 'kubernetes' }],
])('a kubeconfig that calls its cluster %s is about %o', (name, expected) => {
  const folder = mkdtempSync(join(tmpdir(), 'nodeferry-cluster-name-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const kubeconfig = join(folder, 'config');
  const contexts = [{ name: 'x', context: { cluster: name, user: 'u' } }];
  const clusters = [{ name, cluster: { server: 'https://127.0.0.1:1' } }];
  const config = { clusters, contexts, users: [{ name: 'u', user: { token: 't' } }], 'current-context': 'x' };
  writeFileSync(kubeconfig, JSON.stringify(config));
  expect(readClusterName({ kubeconfig })).toEqual(expected);
});
