import { type MetricSpec, prometheusNameOf } from '../../core/status/metrics.ts';
import { table } from './steps-doc.ts';

const introduction = `# Metrics of the worker

Generated from the list of metrics by \`npm run gen\`. [The worker](worker.md) says how to scrape them. These are
nodeferry's own. The same address serves the metrics of the Temporal SDK, whose names begin with \`temporal_\`.

Each worker counts what it does itself, from zero when it starts: sum over all workers. Besides the tags of the table,
every metric has \`namespace\`, \`taskQueue\` and \`activityType\`.
`;

const remarks = `
A failed step is *stalled* until an operator resumes or aborts the run, except where the run goes on by itself. The
guard is asked again after every \`spec.waits.pollInterval\`: the rate of its refusals says how long it blocks, not how
many nodes it blocks. Requests are counted only while a run watches probes, and only by the worker that sends them; the
report of a run has the totals. A counter of refusals or stalled steps appears with its first value, which \`increase\`
does not see.

Some questions, as Prometheus asks them:

| question | expression |
|---|---|
| Are requests lost? | \`sum by (probe) (increase(nodeferry_requests_lost_total[5m])) > 0\` |
| Did a step stall in the last hour? | \`nodeferry_steps_stalled_total - (nodeferry_steps_stalled_total offset 1h or nodeferry_steps_stalled_total * 0) > 0\` |
| Which nodes are in progress? | \`sum by (step) (nodeferry_nodes)\` |
| What blocks the guard? | \`sum by (reason) (rate(nodeferry_guard_refusals_total[5m]))\` |
| Where does the time go? | \`sum by (step) (increase(nodeferry_step_wait_seconds_sum[1h]))\` |
`;

const kinds = { counter: 'counter', 'up-down-counter': 'gauge', histogram: 'histogram' } as const;

/** The page that describes every metric, made from the list. */
export function metricsDoc(all: readonly MetricSpec[]): string {
  const rows = all.map((metric) => {
    const tags = metric.tags.map(({ name, values }) => `\`${name}\`: ${values}`);
    const { kind, unit, description } = metric;
    return [`\`${prometheusNameOf(metric)}\``, kinds[kind], unit, tags.join('; '), description];
  });
  return [introduction, ...table(['metric', 'kind', 'unit', 'tags', 'meaning'], rows), remarks].join('\n');
}
