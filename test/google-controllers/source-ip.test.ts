/** Source IP preservation on GKE, and pods that end as an ingress controller does: real nodes, the real ingress-gce, and packets that are passed through. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditCluster } from '../../client/audit/audit-cluster.ts';
import { type GkeLab, startGkeLab } from '../../lab/gke-lab.ts';
import { NAMESPACES } from '../../lab/network-plan.ts';
import { run } from '../../lab/process.ts';
import { gkeEndingsScenario } from '../../lab/scenarios/gke.ts';
import { googleService } from '../../lab/scenarios/google-services.ts';
import { loadBalancerUrls, outsideTraffic, type TrafficTarget } from '../../lab/traffic/config.ts';
import { startTraffic } from '../../lab/traffic/traffic.ts';
import type { TrafficTruth } from '../../lab/traffic/truth.ts';
import { toolPaths } from '../../scripts/setup/paths.ts';
import { describeSourceIp } from '../support/source-ip/cases.ts';

/** Short streams: those that take longer than the load balancer drains connections are cut whatever pods do. */
const volume = { connect: 40, keepalive: 10, keepaliveClients: 5, long: 1, stream: 0.5, streamDurationMs: 8_000 };

let lab: GkeLab;
beforeAll(async () => {
  lab = await startGkeLab(gkeEndingsScenario, { onProgress: (text) => process.stderr.write(`  ${text}\n`) });
  await lab.waitForTraffic();
});
afterAll(async () => await lab?.stop());

describeSourceIp('GKE', () => ({
  lab,
  balanced: (name, clusterIP, externalTrafficPolicy) =>
    googleService('class', { name, clusterIP, externalTrafficPolicy }),
  checkOf: ({ name }) => {
    const check = [...lab.gcp.model.resources.values()].find(
      ({ path, fields }) =>
        path.includes('/healthChecks/') && String(fields['description']).includes(`"default/${name}"`),
    );
    if (check === undefined) throw new Error(`Service ${name} has no health check`);
    const { checkIntervalSec, healthyThreshold, unhealthyThreshold } = check.fields;
    return {
      periodMs: Number(checkIntervalSec) * 1_000,
      passes: Number(healthyThreshold),
      failures: Number(unhealthyThreshold),
    };
  },
}));

/**
 * A report about ingress-nginx behind a passthrough load balancer of GKE, policy Local: connections are lost with `wait-shutdown` as preStop hook, and
 * wherever readiness ends before the pod does (kubernetes/ingress-nginx issue 13689; KEP-1669: a terminating pod gets connections only while it is
 * ready). One drain evicts a pod of each controller of lab/scenarios/endings.ts.
 */
describe('an ingress controller whose node is drained by kubectl', () => {
  const losing = [
    ['waits', 'its preStop hook stops it'],
    ['unready', 'it serves on and is not ready'],
  ] as const;
  const sound = [
    ['sleeps', 'its preStop hook sleeps and it stays ready'],
    ['ready', 'it serves on and stays ready'],
  ] as const;
  const names = [...losing, ...sound].map(([name]) => name);
  let bad: ReadonlyMap<string, number>;
  let account: TrafficTruth;

  beforeAll(async () => {
    const traffic = startTraffic({
      prober: toolPaths().prober,
      namespace: NAMESPACES.client,
      config: outsideTraffic(targets(names), volume),
    });
    await traffic.waitUntilClean(5);
    traffic.zero();
    const node = lab.status().nodes[0]?.name ?? '';
    await kubectl('drain', node, '--ignore-daemonsets', '--timeout=120s');
    account = await traffic.stop();
    await kubectl('uncordon', node);
    bad = new Map(names.map((service) => [service, badIn(account, service)]));
    process.stderr.write(`* GKE: bad connections ${JSON.stringify(Object.fromEntries(bad))}\n`);
  });

  test.each(losing)('(%s) loses connections where %s', (service) => {
    expect(bad.get(service)).toBeGreaterThan(10);
  });

  test.each(sound)('(%s) loses none where %s', (service) => {
    expect(account.incidents.filter(({ stream }) => stream.startsWith(`${service}/`))).toEqual([]);
    expect(bad.get(service)).toBe(0);
    expect(account.perStream[`${service}/connect`]?.ok).toBeGreaterThan(300);
  });

  test('is found by the audit, by the rules about what it loses connections by', async () => {
    for (const [name, value] of Object.entries(lab.cloud.outside)) process.env[name] = value;
    const target = { kubeconfig: lab.kubeconfigPath, region: undefined, service: undefined, pool: undefined };
    const { findings } = await auditCluster(target);
    const rulesFor = (workload: string) =>
      findings
        .filter(({ object }) => object.kind === 'Deployment' && object.name === workload)
        .map(({ rule }) => rule)
        .filter((rule) => rule === 'WKL-009' || rule === 'WKL-012')
        .toSorted();
    expect(Object.fromEntries(names.map((name) => [name, rulesFor(name)]))).toEqual({
      waits: ['WKL-009', 'WKL-012'],
      unready: ['WKL-009'],
      sleeps: [],
      ready: [],
    });
  });
});

/** The Services of these names, as clients know them. */
function targets(names: readonly string[]): readonly TrafficTarget[] {
  return lab.services
    .filter(({ name }) => names.includes(name))
    .map(({ name, vips, port }) => ({
      name,
      urls: loadBalancerUrls(
        vips.map(({ address }) => address),
        port,
      ),
    }));
}

function badIn({ perStream }: TrafficTruth, service: string): number {
  return Object.entries(perStream)
    .filter(([name]) => name.startsWith(`${service}/`))
    .reduce((sum, [, { lost, cut, slow }]) => sum + lost + cut + slow, 0);
}

async function kubectl(...args: readonly string[]): Promise<string> {
  return await run(toolPaths().kubectl, ['--kubeconfig', lab.kubeconfigPath, ...args], { timeoutMs: 130_000 });
}
