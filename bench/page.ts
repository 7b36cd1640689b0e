import type { BenchOrder, BenchRun, Refusal } from './runs.ts';

/** The host and the date of a bench, as shown on the page. */
interface BenchPlace {
  readonly machine: string;
  readonly node: string;
  readonly date: string;
}

/** The bench's report, as `--report` writes it. */
export interface BenchReport extends BenchPlace {
  readonly runs: readonly BenchRun[];
  readonly refused: readonly Refusal[];
}

const names: Readonly<Record<BenchOrder, string>> = {
  'pod-surge': 'nodeferry, with pod surge',
  serial: 'nodeferry, without pod surge',
  eks: 'EKS’s order: drain, exclude, wait, terminate',
  script: 'script: exclude, sleep 30 s, drain, terminate',
  kops: 'kOps’s order: exclude, drain at once, terminate',
};

const header = [
  'nodes',
  'order',
  'requests',
  'lost',
  'reset',
  'slow',
  'duration',
  'of its bound',
  'new nodes Ready after',
  'from then on',
  'instance-minutes',
];

/** One row per run, after the header. */
export function benchRows(runs: readonly BenchRun[]): readonly (readonly string[])[] {
  return [header, ...runs.map(rowOf)];
}

function rowOf(run: BenchRun): readonly string[] {
  const { nodes, order, requests, durationSeconds, lowerBoundSeconds, nodesReadySeconds } = run;
  const { instanceMinutes, leastInstanceMinutes } = run;
  return [
    String(nodes),
    names[order],
    ...[requests.sent, requests.lost, requests.cut, requests.slow].map((count) => count.toLocaleString('en')),
    `${durationSeconds.toFixed(0)} s`,
    lowerBoundSeconds === undefined
      ? '–'
      : `${(durationSeconds / lowerBoundSeconds).toFixed(2)} × ${lowerBoundSeconds.toFixed(1)} s`,
    nodesReadySeconds === undefined ? '–' : `${nodesReadySeconds.toFixed(0)} s`,
    nodesReadySeconds === undefined ? '–' : `${(durationSeconds - nodesReadySeconds).toFixed(0)} s`,
    leastInstanceMinutes === undefined ? String(instanceMinutes) : `${instanceMinutes} (least ${leastInstanceMinutes})`,
  ];
}

/** The page of a bench, which becomes docs/performance.md. */
export function renderPage({ machine, node, date, runs, refused }: BenchReport): string {
  const [head = [], ...rows] = benchRows(runs);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return `# Performance

Written by \`npm run bench -- --docs\` on ${date}: ${machine}, Node ${node}. Each pool was replaced in each order, in the same lab
and under the same traffic (new connections, reused connections, long requests, streams of 20 s). The delays are those of the lab, which are far
shorter than those of AWS; what matters is how the orders compare. The bound is the time that a run with perfect knowledge would need in the same
mode, under the same guard. Instance-minutes are the time of instances beyond those of the pool itself.

![Bars: requests lost, and time, of each order for the largest pool, as in the table below.](pictures/orders.svg)

${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}

${[...describeGrowth(runs), ...runs.flatMap(boundOf), ...refused.map(explainRefusal)].join('\n')}
`;
}

/** How the time from the new nodes' being Ready grows with the pool, with pod surge. */
function describeGrowth(runs: readonly BenchRun[]): readonly string[] {
  const own = runs.filter(({ order }) => order === 'pod-surge').toSorted((a, b) => a.nodes - b.nodes);
  const [small, large] = [own[0], own.at(-1)];
  if (small?.nodesReadySeconds === undefined || large?.nodesReadySeconds === undefined || small === large) return [];
  const ratio = (large.durationSeconds - large.nodesReadySeconds) / (small.durationSeconds - small.nodesReadySeconds);
  const sizes = `${large.nodes} nodes take ${ratio.toFixed(2)} times as long as ${small.nodes}`;
  return [`- With pod surge, counted from the moment when the new nodes are Ready, ${sizes}.`];
}

function explainRefusal({ nodes, order, why }: Refusal): string {
  return `- ${nodes} nodes, ${names[order]}: refused before anything was touched: ${why}.`;
}

/** The bound of a run, term by term. */
function boundOf({ nodes, order, lowerBoundSeconds, lowerBoundTerms }: BenchRun): readonly string[] {
  if (lowerBoundSeconds === undefined) return [];
  const terms = lowerBoundTerms.map(({ name, seconds }) => `${name} ${seconds.toFixed(1)} s`).join(', ');
  return [`- Bound of ${nodes} nodes, ${names[order]}: ${lowerBoundSeconds.toFixed(1)} s = ${terms}.`];
}
