/** One pool behind load balancers of several kinds at once is replaced under traffic: what each kind loses, and what it loses in the controls. */
import '../contract/gke/tls-roots.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { balancerKinds, protectingRules, servicesOf } from '../../bench/balancers/kinds.ts';
import { balancersControls, isAnnounced, missedUnannounced } from '../../bench/balancers/measured.ts';
import { type BalancersLab, openBalancersLab } from '../../bench/balancers/runs.ts';

const clean = { sent: expect.any(Number), lost: 0, cut: 0, slow: 0 };

describe.each(['gke-balancers', 'gke-groups', 'gke-pods'] as const)('%s', (scenario) => {
  const services = balancerKinds
    .filter((kind) => kind.scenario === scenario)
    .flatMap((kind) => servicesOf(kind).map(({ name }) => name));
  let lab: BalancersLab;
  beforeAll(async () => {
    lab = await openBalancersLab(scenario, { onProgress: (text) => process.stderr.write(`  ${text}\n`) });
  });
  afterAll(async () => await lab?.close());

  test.each(['pod-surge', 'batches', 'late-controllers'] as const)(
    '%s: nothing is lost, and nothing is cut but what was announced',
    async (order) => {
      const run = await lab.replacePool(order);
      expect(Object.keys(run.services).toSorted()).toEqual(services.toSorted());
      for (const [service, counts] of Object.entries(run.services)) {
        expect(counts.sent, service).toBeGreaterThan(1_000);
        expect(counts, service).toEqual(isAnnounced(run, service) ? { ...clean, cut: expect.any(Number) } : clean);
      }
    },
  );

  test.each(balancersControls)('%s: requests of every kind are lost that no plan announces', async (order) => {
    const run = await lab.replacePool(order);
    if (order === 'without-rule') expect(run.disabledRules).toEqual(protectingRules(scenario));
    for (const service of services) expect(missedUnannounced(run, service), service).toBeGreaterThan(0);
  });
});
