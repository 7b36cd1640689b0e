import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { balancerKinds, servicesOf } from '../../bench/balancers/kinds.ts';
import {
  balancersControls,
  balancersScenarios,
  completeWith,
  countByService,
  isControl,
  type MeasuredBalancers,
  missedUnannounced,
} from '../../bench/balancers/measured.ts';
import { renderBalancersPage } from '../../bench/balancers/page.ts';
import { loadBalancedServices } from '../../lab/scenario.ts';
import {
  eksBalancersScenario,
  gkeBalancersScenario,
  gkeGroupsScenario,
  gkePodsScenario,
} from '../../lab/scenarios/balancers.ts';

const clean = { sent: 4_321, lost: 0, cut: 0, slow: 0 };
const cut = { ...clean, cut: 7 };

const measured = (change: Partial<MeasuredBalancers['runs'][number]> = {}): MeasuredBalancers => ({
  scenario: 'gke-balancers',
  date: '2026-01-02',
  host: '2 × a processor, 24 GB',
  runs: [
    {
      order: 'pod-surge',
      seconds: 90,
      services: { 'target-pool-local': cut, 'external-endpoints-local': clean },
      unprotected: ['service default/target-pool-local: its pool drains no connections'],
      ...change,
    },
    { order: 'usual', seconds: 120, services: { 'target-pool-local': { ...cut, lost: 150 } }, unprotected: [] },
  ],
});

/** The cells of a row of the page. */
const row = (page: string, ...first: readonly string[]) =>
  page.split('\n').find((line) => line.startsWith(`| ${first.join(' | ')} |`));

test('streams add up to their Service, whatever its name', () => {
  const counts = { sent: 10, lost: 1, cut: 2, slow: 3 };
  expect(countByService({ 'a/connect': counts, 'a/stream': counts, 'b-c/long': counts })).toEqual({
    a: { sent: 20, lost: 2, cut: 4, slow: 6 },
    'b-c': counts,
  });
});

test('the page says of each row whether what was missed had been announced, and which is the control', () => {
  const page = renderBalancersPage([measured()]);
  const title = 'external, network endpoint groups of nodes';
  expect(row(page, title, 'Local')).toContain('| nodeferry, pod surge | 4,321 | 0 | 0 | 0 | nothing missed |');
  expect(row(page, 'external, target pool', 'Local', 'nodeferry, pod surge')).toContain(
    '| 7 | 0 | announced by the plan |',
  );
  expect(row(page, 'external, target pool', 'Local', 'usual order')).toContain('| 150 | 7 | 0 | control |');
  expect(page).toContain('on 2026-01-02: 2 × a processor, 24 GB');
});

test('the page names the rule that was off in a control, and says of a control that lost nothing that it did', () => {
  const off = { order: 'without-rule', disabledRules: ['wait-for-deregistration'] } as const;
  const control = (counts: typeof clean) =>
    row(
      renderBalancersPage([measured({ ...off, services: { 'target-pool-local': counts } })]),
      'external, target pool',
      'Local',
      'nodeferry, late controllers, without its rule',
    );
  expect(control({ ...clean, lost: 9 })).toMatch(/\| 9 \| 0 \| 0 \| control: rule `wait-for-deregistration` off \|$/);
  // The plan announces that connections are cut, with the rule and without it.
  const nothing =
    'control: rule `wait-for-deregistration` off; nothing missed in this run that the plan does not announce';
  expect(control(cut)).toContain(nothing);
  expect(control(clean)).toContain(nothing);
});

test('the page says of an order that was not measured that it was not', () => {
  const page = renderBalancersPage([measured()]);
  expect(row(page, 'external, target pool', 'Local', 'nodeferry, late controllers')).toContain('not measured');
  expect(row(page, 'external, target pool', 'Local', 'nodeferry, late controllers, without its rule')).toContain(
    'not measured',
  );
  expect(row(page, 'external, target pool', 'Local', 'usual order')).not.toContain('not measured');
});

test('a measurement of some orders keeps the others, with their date', () => {
  const [surge, usual] = measured().runs;
  if (surge === undefined || usual === undefined) throw new Error('two orders are measured');
  const later = { ...measured(), date: '2026-03-04', runs: [{ ...usual, seconds: 7 }] };
  const complete = completeWith(later, measured());
  expect(complete.runs).toEqual([
    { ...surge, origin: { date: '2026-01-02', host: '2 × a processor, 24 GB' } },
    { ...usual, seconds: 7 },
  ]);
  expect(renderBalancersPage([complete])).toContain(
    'on 2026-03-04: 2 × a processor, 24 GB. On 2026-01-02: 2 × a processor, 24 GB: nodeferry, pod surge.',
  );
  // What was kept once keeps its own date.
  const again = completeWith({ ...later, date: '2026-05-06' }, complete);
  expect(again.runs[0]?.origin?.date).toBe('2026-01-02');
  // Of one day and one host, nothing is apart.
  expect(completeWith({ ...later, date: '2026-01-02' }, measured()).runs[0]).toEqual(surge);
  expect(completeWith(later, undefined)).toEqual(later);
});

test.each(balancersScenarios)(
  'what is published of %s loses nothing unannounced, and each kind loses in each control',
  (scenario) => {
    const { runs } = JSON.parse(
      readFileSync(new URL(`../../docs/measurements/${scenario}.json`, import.meta.url), 'utf8'),
    ) as MeasuredBalancers;
    const services = balancerKinds
      .filter((kind) => kind.scenario === scenario)
      .flatMap((kind) => servicesOf(kind).map(({ name }) => name));
    expect(runs.map(({ order }) => order)).toEqual(expect.arrayContaining([...balancersControls]));
    for (const run of runs) {
      expect(Object.keys(run.services).toSorted(), run.order).toEqual(services.toSorted());
      const lost = services.map((service) => missedUnannounced(run, service));
      const what = `${run.order}: ${lost.join(', ')}`;
      if (isControl(run.order)) expect(Math.min(...lost), what).toBeGreaterThan(0);
      else expect(Math.max(...lost), what).toBe(0);
    }
  },
);

test('the page has one row for each order where pods are targets, which have no policy', () => {
  const { runs, ...origin } = measured({ services: { 'pod-endpoints': clean } });
  const page = renderBalancersPage([{ ...origin, runs, scenario: 'gke-pods' }]);
  const title = 'proxy, network endpoint groups of pods';
  expect(row(page, title, 'none', 'nodeferry, pod surge')).toContain('| 4,321 | 0 | 0 | 0 | nothing missed |');
  expect(row(page, title, 'Local')).toBeUndefined();
});

test.each([
  ['what the plan has not announced', { unprotected: [] }],
  [
    'requests that are lost, where it has announced cut connections',
    { services: { 'target-pool-local': { ...cut, lost: 1 } } },
  ],
])('the page does not excuse %s', (_, change) => {
  expect(renderBalancersPage([measured(change)])).toContain('**missed without announcement**');
  expect(renderBalancersPage([measured()])).not.toContain('**missed without announcement**');
});

test.each([gkeBalancersScenario, gkeGroupsScenario, gkePodsScenario, eksBalancersScenario])(
  '$name has all Services of each of its kinds',
  (scenario) => {
    const names = balancerKinds
      .filter((kind) => kind.scenario === scenario.name)
      .flatMap((kind) => servicesOf(kind).map(({ name }) => name));
    expect(loadBalancedServices(scenario).toSorted()).toEqual(names.toSorted());
  },
);
