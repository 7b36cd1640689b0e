import type { RequestCounts } from '../../demo/report.ts';
import { type BalancerKind, balancerKinds, servicesOf } from './kinds.ts';
import { type BalancersOrder, balancersOrders, type MeasuredBalancers, missed } from './measured.ts';

const clouds = { gke: 'GKE', eks: 'EKS' } as const;

const orders: Readonly<Record<BalancersOrder, string>> = {
  'pod-surge': 'nodeferry, pod surge',
  batches: 'nodeferry, in batches',
  usual: 'usual order',
};

/** The page docs/load-balancers.md: what is known about each kind, and what was measured, of as many clouds as there are. */
export function renderBalancersPage(measured: readonly MeasuredBalancers[]): string {
  return `# Load balancers

What nodeferry does for each kind of load balancer, and what was measured. [concepts.md](concepts.md) explains the steps, and
[audit.md](audit.md) the rules.

The numbers are from the lab: real controllers, nodes, kube-proxies and packets, on a simulated cloud. In each run one pool of four nodes was
behind load balancers of one or several kinds at once, each kind with both external traffic policies and a workload of its own. Where pods are
targets there is no such policy. New connections, reused connections, requests of 3 s and streams of 20 s were sent to every Service. The usual
order (cordon, \`kubectl drain\`, terminate) is the control: it replaced the same pool in the same lab.

Where Google drains no connections, the plan reports \`SVC-030\` and the run goes on. What becomes of established connections then
is documented nowhere; the lab cuts them as soon as the node leaves, which is the worst case.

${(['gke', 'eks'] as const).map((cloud) => renderCloud(cloud, measured)).join('\n')}
## Not measured

IP targets on AWS: the lab has no controller that registers pods there. Contract tests have them on the simulated AWS.
`;
}

function renderCloud(cloud: BalancerKind['cloud'], measured: readonly MeasuredBalancers[]): string {
  const kinds = balancerKinds.filter((kind) => kind.cloud === cloud);
  const own = measured.filter(({ scenario }) => kinds.some((kind) => kind.scenario === scenario));
  return `## ${clouds[cloud]}

${table(
  ['kind', 'made by', 'lever', 'established connections', 'nodeferry waits for', 'the plan says'],
  kinds.map(({ title, madeBy, lever, drain, waits, says }) => [title, madeBy, lever, drain, waits, says]),
)}

${own.map(describeOrigin).join('\n')}

*Lost* are requests that failed, *reset* those whose connection was cut, *slow* those that waited for a second SYN.

${table(
  ['kind', 'policy', 'order', 'requests', 'lost', 'reset', 'slow', ''],
  kinds.flatMap((kind) => own.flatMap((one) => (one.scenario === kind.scenario ? rowsOf(kind, one) : []))),
)}
`;
}

/** How many kinds a measurement has had at once, and where it comes from. */
function describeOrigin({ scenario, date, host }: MeasuredBalancers): string {
  const kinds = balancerKinds.filter((kind) => kind.scenario === scenario).map(({ title }) => title);
  return `- ${kinds.join('; ')}: written by \`npm run bench:balancers -- --scenario ${scenario} --docs\` on ${date}: ${host}.`;
}

function rowsOf(kind: BalancerKind, { runs }: MeasuredBalancers): readonly (readonly string[])[] {
  return servicesOf(kind).flatMap(({ policy, name: service }) =>
    balancersOrders.flatMap((order) => {
      const run = runs.find((one) => one.order === order);
      const counts = run?.services[service];
      if (run === undefined || counts === undefined) return [];
      const numbers = [counts.sent, counts.lost, counts.cut, counts.slow].map((one) => one.toLocaleString('en'));
      return [[kind.title, policy, orders[order], ...numbers, explain(order, counts, run.unprotected, service)]];
    }),
  );
}

/** What the numbers mean; they are never left to the reader where something was missed. */
function explain(
  order: BalancersOrder,
  counts: RequestCounts,
  unprotected: readonly string[],
  service: string,
): string {
  if (order === 'usual') return missed(counts) > 0 ? 'control' : 'control: missed nothing in this run';
  const announced = unprotected.some((text) => text.startsWith(`service default/${service}:`));
  if (missed(counts) === 0) return announced ? 'nothing missed, though the plan promises less' : 'nothing missed';
  // The plan announces that established connections may be cut, and nothing else.
  return announced && counts.lost + counts.slow === 0 ? 'announced by the plan' : '**missed without announcement**';
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
