import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AuditReport } from '../../../core/audit/audit.ts';
import { toolPaths } from '../../../scripts/setup/paths.ts';
import { callCommandLine } from '../../support/command-line.ts';
import { type ControlPlane, startControlPlane } from '../../support/control-plane.ts';
import { createBudget, createNode, grantDeployedRoles } from './objects.ts';

const labels = { app: 'web' };
const deployment = '/apis/apps/v1/namespaces/default/deployments/web';

const policy = `apiVersion: nodeferry.dev/v1alpha1
kind: PoolUpgrade
metadata: {name: web}
spec:
  cluster: {name: prod, region: eu-west-1}
  pool: {name: web}
  target: {version: "1.34"}
  accept: {SVC-001: one node is all we have}
`;

/** Two pods on one node that stop at once, behind a Service and a budget that are wrong too. */
async function createPoorWorkload(controlPlane: ControlPlane): Promise<void> {
  const container = { name: 'server', image: 'web.example/web:1', ports: [{ containerPort: 80 }] };
  await controlPlane.api('POST', '/apis/apps/v1/namespaces/default/deployments', {
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { nodeName: 'node-1', containers: [container] } },
    },
  });
  await controlPlane.api('POST', '/api/v1/namespaces/default/services', {
    metadata: { name: 'web' },
    spec: {
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      publishNotReadyAddresses: true,
      selector: labels,
      ports: [{ port: 80 }],
    },
  });
}

interface PodList {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

/** Writes the status that a kubelet would. */
async function makePodsReady(controlPlane: ControlPlane): Promise<void> {
  await vi.waitFor(
    async () =>
      expect((await controlPlane.api<PodList>('GET', '/api/v1/namespaces/default/pods')).items).toHaveLength(2),
    { timeout: 60_000 },
  );
  const { items } = await controlPlane.api<PodList>('GET', '/api/v1/namespaces/default/pods');
  for (const [index, { metadata }] of items.entries()) {
    const address = `10.0.0.${index + 1}`;
    await controlPlane.api('PATCH', `/api/v1/namespaces/default/pods/${metadata.name}/status`, {
      status: {
        phase: 'Running',
        podIP: address,
        podIPs: [{ ip: address }],
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    });
  }
}

describe('an audit of a real API server', () => {
  let controlPlane: ControlPlane;

  beforeAll(async () => {
    const controllers = ['deployment-controller', 'replicaset-controller', 'endpointslice-controller'];
    controlPlane = await startControlPlane({ controllers: [...controllers, 'disruption-controller'] });
    grantDeployedRoles(controlPlane);
    await createNode(controlPlane, 'node-1');
    await createNode(controlPlane, 'node-2');
    await createPoorWorkload(controlPlane);
    await makePodsReady(controlPlane);
    await createBudget(controlPlane, 'web', { minAvailable: '100%' });
  });

  afterAll(async () => {
    await controlPlane?.stop();
  });

  /** With the role of a worker, so that it is enough. */
  async function audit(...args: readonly string[]): Promise<{ readonly code: number | null; report: AuditReport }> {
    const { code, stdout, stderr } = await callCommandLine(
      ['audit', '-o', 'json', '--kubeconfig', controlPlane.kubeconfig('nodeferry'), ...args],
      { AWS_REGION: '', AWS_DEFAULT_REGION: '', AWS_EC2_METADATA_DISABLED: 'true' },
    );
    expect(stderr).toBe('');
    return { code, report: JSON.parse(stdout) as AuditReport };
  }

  const rulesOf = ({ findings }: AuditReport) => findings.map(({ rule }) => rule);

  /** Runs a command of a fix as somebody would who copies it. */
  function run(command: string): void {
    const env = {
      ...process.env,
      KUBECONFIG: controlPlane.kubeconfig('admin'),
      PATH: `${dirname(toolPaths().kubectl)}:${process.env['PATH']}`,
    };
    execFileSync('sh', ['-c', command], { env, stdio: 'pipe' });
  }

  it('applies a policy, which accepts a finding, to the cluster that it names', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nodeferry-audit-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'policy.yaml');
    writeFileSync(file, policy);

    await expect.poll(async () => rulesOf((await audit()).report)).toContain('SVC-001');
    const { report } = await audit('-f', file);

    expect(report.cluster).toBe('prod');
    expect(report.findings.find(({ rule }) => rule === 'SVC-001')).toMatchObject({
      accepted: 'one node is all we have',
    });
    expect((await audit()).report.findings.find(({ rule }) => rule === 'SVC-001')).not.toHaveProperty('accepted');
  });

  it('finds what is wrong, and its commands fix what they are for', async () => {
    const wanted = ['SVC-001', 'SVC-005', 'WKL-003', 'WKL-006', 'WKL-013', 'WKL-020', 'WKL-033'];
    await expect.poll(async () => rulesOf((await audit()).report)).toEqual(expect.arrayContaining(wanted));
    const { code, report } = await audit('--cluster', 'shop');
    expect({ code, cluster: report.cluster }).toEqual({ code: 1, cluster: 'shop' });
    expect(report.unread).toMatchObject([{ what: 'load balancers' }]);

    for (const command of report.findings.flatMap(({ fix }) => fix.commands ?? [])) run(command);

    expect(await controlPlane.api('GET', deployment)).toMatchObject({
      spec: {
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
        template: {
          spec: {
            terminationGracePeriodSeconds: 33,
            containers: [{ name: 'server', lifecycle: { preStop: { sleep: { seconds: 3 } } } }],
            topologySpreadConstraints: [
              { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } },
            ],
          },
        },
      },
    });
    const fixed = ['SVC-005', 'WKL-003', 'WKL-020'];
    await expect.poll(async () => rulesOf((await audit()).report).filter((rule) => fixed.includes(rule))).toEqual([]);
  });

  it('of a pool that has no pods finds nothing to fix without the load balancers, and of one that does not exist is an error', async () => {
    const elsewhere = await createNode(controlPlane, 'node-3', { labels: { 'eks.amazonaws.com/nodegroup': 'batch' } });
    const { code, report } = await audit('--pool', 'batch');
    expect({ code, nodes: report.nodes, findings: rulesOf(report) }).toEqual({ code: 6, nodes: 1, findings: [] });
    expect(elsewhere.name).toBe('node-3');
    const unknown = await callCommandLine([
      'audit',
      '--pool',
      'bacth',
      '--kubeconfig',
      controlPlane.kubeconfig('nodeferry'),
    ]);
    expect(unknown).toMatchObject({ code: 64, stderr: expect.stringContaining('Did you mean batch?') });
  });
});
