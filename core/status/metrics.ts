/** What is measured of runs. docs/metrics.md, the types of what code may emit and the buckets of histograms come from this list. */
import { refusalReasons } from '../guard/refusal-reason.ts';

/** A tag, and the values that it can have. */
interface MetricTag {
  readonly name: string;
  /** For the documentation. Every tag has few values: names out of lists, never text. */
  readonly values: string;
}

/** A metric of the worker. */
export interface MetricSpec {
  /** As code emits it. Prometheus appends unit and `_total`: see `prometheusNameOf`. */
  readonly name: `nodeferry_${string}`;
  /** Only ever rises; goes up and down; or a distribution. */
  readonly kind: 'counter' | 'up-down-counter' | 'histogram';
  /** Of the values; empty for a number of things. */
  readonly unit: '' | 'seconds';
  readonly tags: readonly MetricTag[];
  /** One or two sentences. */
  readonly description: string;
  /** Upper bounds of a histogram's buckets, in its unit. */
  readonly buckets?: readonly number[];
}

const stepTag = { name: 'step', values: 'a step or phase of [Steps of a run](steps.md)' } as const;
const probeTag = { name: 'probe', values: 'name of a probe in `spec.traffic.probes`' } as const;

/** The metrics of the worker. */
export const metrics = [
  {
    name: 'nodeferry_nodes',
    kind: 'up-down-counter',
    unit: '',
    tags: [{ name: 'step', values: 'a step of a node in [Steps of a run](steps.md)' }],
    description:
      'Nodes that this worker has in this step now. `pending`: those about which the guard is asked, 50 of a run at most. Nodes for which no step runs are not counted: those that are stalled, replaced or restored.',
  },
  {
    name: 'nodeferry_step_wait',
    kind: 'histogram',
    unit: 'seconds',
    tags: [stepTag, { name: 'outcome', values: '`done`, `failed`' }],
    description:
      'How long a step took, from the moment it was scheduled until it was done or failed. Restarts of workers do not interrupt it.',
    buckets: [1, 5, 15, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200],
  },
  {
    name: 'nodeferry_steps_stalled',
    kind: 'counter',
    unit: '',
    tags: [stepTag, { name: 'problem', values: 'a problem code, for example `DeadlineExceeded`' }],
    description: 'Steps that failed: at their deadline, or with an error that a retry cannot help.',
  },
  {
    name: 'nodeferry_guard_refusals',
    kind: 'counter',
    unit: '',
    tags: [
      {
        name: 'reason',
        values: Object.entries(refusalReasons)
          .map(([reason, meaning]) => `\`${reason}\` (${meaning})`)
          .join(', '),
      },
    ],
    description: 'Observations after which the guard allowed no node to be excluded, by what blocks the first in line.',
  },
  {
    name: 'nodeferry_evictions_refused',
    kind: 'counter',
    unit: '',
    tags: [{ name: 'reason', values: '`budget`, `server` (try later), `impossible` (refused for good)' }],
    description: 'Evictions that the API server refused, dry runs included.',
  },
  {
    name: 'nodeferry_requests_sent',
    kind: 'counter',
    unit: '',
    tags: [probeTag],
    description: 'Requests that a probe sent and whose outcome is known.',
  },
  {
    name: 'nodeferry_requests_lost',
    kind: 'counter',
    unit: '',
    tags: [probeTag],
    description: 'Of these, requests that were lost, whether a node of the run was excluded then or not.',
  },
] as const satisfies readonly MetricSpec[];

/** An entry as it is written, for types that are derived from it. */
type WrittenMetric = (typeof metrics)[number];

/** Name of a metric of this kind. */
export type MetricName<Kind extends MetricSpec['kind'] = MetricSpec['kind']> = Extract<
  WrittenMetric,
  { readonly kind: Kind }
>['name'];

/** The tags of a metric: all of them, and no others. */
export type TagsOf<Name extends MetricName> = Readonly<
  Record<Extract<WrittenMetric, { readonly name: Name }>['tags'][number]['name'], string>
>;

/** The entry of a metric. */
export function metricOf(name: MetricName): MetricSpec {
  const metric = metrics.find((one) => one.name === name);
  if (metric === undefined) throw new Error(`no metric is called ${name}`);
  return metric;
}

/** What the metric is called where it is scraped. */
export function prometheusNameOf({ name, kind, unit }: MetricSpec): string {
  return [name, unit, kind === 'counter' ? 'total' : ''].filter((part) => part !== '').join('_');
}

/** Bounds of the buckets of all histograms, by name of the metric. */
export function bucketsOf(all: readonly MetricSpec[]): Record<string, number[]> {
  return Object.fromEntries(all.flatMap(({ name, buckets }) => (buckets === undefined ? [] : [[name, [...buckets]]])));
}
