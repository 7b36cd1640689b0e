import type { ProtectiveRule } from '../../core/steps/steps.ts';
import type { RequestCounts } from '../../demo/report.ts';
import { type BalancerKind, balancerKinds, servicesOf } from './kinds.ts';
import {
  type BalancersOrder,
  type BalancersRun,
  balancersOrders,
  isAnnounced,
  isControl,
  type MeasuredBalancers,
  missed,
  missedUnannounced,
} from './measured.ts';

const clouds = { gke: 'GKE', eks: 'EKS' } as const;

const orders: Readonly<Record<BalancersOrder, string>> = {
  'pod-surge': 'nodeferry, pod surge',
  batches: 'nodeferry, in batches',
  'late-controllers': 'nodeferry, late controllers',
  'without-rule': 'nodeferry, late controllers, without its rule',
  usual: 'usual order',
};

/** The page docs/load-balancers.md: what is known about each kind, and what was measured, of as many clouds as there are. */
export function renderBalancersPage(measured: readonly MeasuredBalancers[]): string {
  return `# Load balancers

What nodeferry does for each kind of load balancer, and what was measured. [concepts.md](concepts.md) explains the steps, and
[audit.md](audit.md) the rules.

The numbers are from the lab: real controllers, nodes, kube-proxies and packets, on a simulated cloud. In each run one pool of four nodes was
behind load balancers of one or several kinds at once, each kind with both external traffic policies and a workload of its own. Where pods are
targets there is no such policy. New connections, reused connections, requests of 3 s and streams of 20 s were sent to every Service.

nodeferry replaced the pool with pod surge, in batches, and with pod surge while controllers were late: the cloud refused to take anything out of
a load balancer until a minute after the first exclusion. Two controls show that the traffic meets what nodeferry protects from. In one,
controllers were late too, and the [rule](concepts.md#the-seven-protective-rules) that protects the kind was off. The other is the usual order:
cordon, \`kubectl drain\`, terminate. Where controllers are not late, few kinds lose anything without the rule in this lab: most nodes and pods are
deregistered before the pods have stopped.

Some load balancers of Google drain no connections. The plan reports them (\`SVC-030\`), and the run goes on. Google documents
nowhere what becomes of established connections then; the lab cuts them as soon as the node leaves, which is the worst case.
So for these kinds a reset says nothing about the rule: only requests that are lost or slow do.

${(['gke', 'eks'] as const).map((cloud) => renderCloud(cloud, measured)).join('\n')}
## Not measured

IP targets on AWS: the lab has no controller that registers pods there. Contract tests have them on the simulated AWS.

Instance groups of an Ingress on GKE: the lab does not run the controller of Ingresses. nodeferry finds them by the annotation
\`ingress.kubernetes.io/backends\` of the Ingress, and sets its cordon again after the label, as for the instance groups above, whose
controller is the same one ([ADR 38](adr/0038-instance-groups-of-ingresses-are-observed.md)). Contract tests have them on the simulated
Google, and workflow tests the order of a run. Established connections have the draining time of a BackendConfig, and none without
one (\`SVC-030\`).
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
function describeOrigin({ scenario, date, host, runs }: MeasuredBalancers): string {
  const kinds = balancerKinds.filter((kind) => kind.scenario === scenario).map(({ title }) => title);
  const earlier = Object.groupBy(
    runs.filter(({ origin }) => origin !== undefined),
    ({ origin }) => `${origin?.date}: ${origin?.host}`,
  );
  const own = `written by \`npm run bench:balancers -- --scenario ${scenario} --docs\` on ${date}: ${host}.`;
  const others = Object.entries(earlier).map(
    ([origin, of = []]) => ` On ${origin}: ${of.map(({ order }) => orders[order]).join('; ')}.`,
  );
  return `- ${kinds.join('; ')}: ${own}${others.join('')}`;
}

function rowsOf(kind: BalancerKind, { runs }: MeasuredBalancers): readonly (readonly string[])[] {
  return servicesOf(kind).flatMap((service) =>
    balancersOrders.map((order) => {
      const run = runs.find((one) => one.order === order);
      const head = [kind.title, service.policy, orders[order]];
      const counts = run?.services[service.name];
      if (run === undefined || counts === undefined) return [...head, '', '', '', '', 'not measured'];
      const numbers = [counts.sent, counts.lost, counts.cut, counts.slow].map((one) => one.toLocaleString('en'));
      return [...head, ...numbers, explain(run, counts, service.name, kind.protectedBy)];
    }),
  );
}

/** What the numbers mean; they are never left to the reader where something was missed. */
function explain(run: BalancersRun, counts: RequestCounts, service: string, rule: ProtectiveRule): string {
  const announced = isAnnounced(run, service);
  const unannounced = missedUnannounced(run, service);
  if (isControl(run.order)) return describeControl(run, rule, unannounced);
  if (missed(counts) === 0) return announced ? 'nothing missed, though the plan promises less' : 'nothing missed';
  // The plan announces that established connections may be cut, and nothing else.
  return announced && unannounced === 0 ? 'announced by the plan' : '**missed without announcement**';
}

function describeControl({ disabledRules = [] }: BalancersRun, rule: ProtectiveRule, lost: number): string {
  const control = disabledRules.includes(rule) ? `control: rule \`${rule}\` off` : 'control';
  return lost > 0 ? control : `${control}; nothing missed in this run that the plan does not announce`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
