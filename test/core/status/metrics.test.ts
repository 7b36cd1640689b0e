import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bucketsOf, type MetricSpec, metricOf, metrics, prometheusNameOf } from '../../../core/status/metrics.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const list = 'core/status/metrics.ts';
const sources = globSync('{activities,adapters,client,core,operations,ports,worker,workflows}/**/*.ts', { cwd: root })
  .filter((path) => path !== list)
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

test('code emits every metric on the list and no other', () => {
  const emitted = sources.flatMap(({ text }) =>
    [...text.matchAll(/['"`](nodeferry_\w+)['"`]/g)].map(([, name]) => name),
  );
  expect(new Set(emitted)).toEqual(new Set(metrics.map(({ name }) => name)));
});

test('the meter of the SDK is used in one place, whose types know the list', () => {
  const users = sources.filter(({ text }) => /metricMeter|create(Counter|Histogram|Gauge|UpDownCounter)/.test(text));
  expect(users.map(({ path }) => path)).toEqual(['activities/metrics.ts']);
});

test('every metric has a name of its own, tags and a description, and only histograms have buckets, in order', () => {
  expect(new Set(metrics.map(({ name }) => name)).size).toBe(metrics.length);
  for (const { name, kind, tags, description, buckets } of metrics.map((metric): MetricSpec => metric)) {
    expect(name).toMatch(/^nodeferry(_[a-z]+)+$/);
    expect(tags.length).toBeGreaterThan(0);
    expect(description).toMatch(/^[A-Z].*\.$/);
    expect(buckets !== undefined).toBe(kind === 'histogram');
    expect(buckets).toEqual(buckets?.toSorted((a, b) => a - b));
  }
});

test('names for Prometheus end with unit and total, as the exporter of the SDK writes them', () => {
  expect(prometheusNameOf(metricOf('nodeferry_requests_lost'))).toBe('nodeferry_requests_lost_total');
  expect(prometheusNameOf(metricOf('nodeferry_step_wait'))).toBe('nodeferry_step_wait_seconds');
  expect(prometheusNameOf(metricOf('nodeferry_nodes'))).toBe('nodeferry_nodes');
  expect(Object.keys(bucketsOf(metrics))).toEqual(['nodeferry_step_wait']);
});
