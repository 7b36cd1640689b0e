import type { RequestCounts } from '../../demo/report.ts';

/**
 * How a pool was replaced. nodeferry: with pod surge, in batches, and with pod surge while controllers are late (bench/balancers/late-controllers.ts).
 * The controls: the same without the rule that `protectedBy` of bench/balancers/kinds.ts names, and the usual order, which is cordon, drain, terminate.
 */
export const balancersOrders = ['pod-surge', 'batches', 'late-controllers', 'without-rule', 'usual'] as const;
/** One of them. */
export type BalancersOrder = (typeof balancersOrders)[number];

/** Orders that have to lose requests, so that it means something when the others lose none. */
export const balancersControls = ['without-rule', 'usual'] as const satisfies readonly BalancersOrder[];

export function isControl(order: BalancersOrder): boolean {
  return balancersControls.some((control) => control === order);
}

/** One replacement of a pool that is behind load balancers of several kinds at once. */
export interface BalancersRun {
  readonly order: BalancersOrder;
  readonly seconds: number;
  /** By the name of the Service. */
  readonly services: Readonly<Record<string, RequestCounts>>;
  /** What nodeferry said before that it could not protect, in its own words. */
  readonly unprotected: readonly string[];
  /** Protective rules that were off. */
  readonly disabledRules?: readonly string[];
  /** Where and when it was measured, if not with the others. */
  readonly origin?: Origin;
}

/** Where and when something was measured. */
interface Origin {
  readonly date: string;
  /** Processors and memory of the host. */
  readonly host: string;
}

/** Scenarios of the lab that are measured. */
export const balancersScenarios = ['gke-balancers', 'gke-groups', 'gke-pods', 'eks-balancers'] as const;
/** One of them. */
export type BalancersScenario = (typeof balancersScenarios)[number];

/** What was measured in one scenario: kept as docs/measurements/SCENARIO.json. */
export interface MeasuredBalancers extends Origin {
  readonly scenario: BalancersScenario;
  readonly runs: readonly BalancersRun[];
}

/** A measurement of some orders, with the other orders of an earlier one. */
export function completeWith(measured: MeasuredBalancers, earlier: MeasuredBalancers | undefined): MeasuredBalancers {
  const { date, host } = earlier ?? measured;
  const isSame = date === measured.date && host === measured.host;
  const kept = (earlier?.runs ?? []).map((run) => (isSame ? run : { ...run, origin: run.origin ?? { date, host } }));
  const runs = balancersOrders.flatMap((order) => [...measured.runs, ...kept].find((run) => run.order === order) ?? []);
  return { ...measured, runs };
}

/** Adds up the streams of each Service, which are named `SERVICE/STREAM`. */
export function countByService(
  perStream: Readonly<Record<string, RequestCounts>>,
): Readonly<Record<string, RequestCounts>> {
  const streams = Object.groupBy(Object.entries(perStream), ([name]) => name.slice(0, name.lastIndexOf('/')));
  return Object.fromEntries(
    Object.entries(streams).map(([service, own = []]) => {
      const sum = (key: keyof RequestCounts) => own.reduce((total, [, counts]) => total + counts[key], 0);
      return [service, { sent: sum('sent'), lost: sum('lost'), cut: sum('cut'), slow: sum('slow') }];
    }),
  );
}

/** Requests that a client missed: lost, reset, or slow because a SYN was dropped. */
export function missed({ lost, cut, slow }: RequestCounts): number {
  return lost + cut + slow;
}

/** Whether the plan said that it protects the Service only in part: it cuts established connections, and loses no others. */
export function isAnnounced({ unprotected }: Pick<BalancersRun, 'unprotected'>, service: string): boolean {
  return unprotected.some((text) => text.startsWith(`service default/${service}:`));
}

/** Requests of a Service that a client missed although no plan had announced it. */
export function missedUnannounced(run: Pick<BalancersRun, 'unprotected' | 'services'>, service: string): number {
  const counts = run.services[service];
  if (counts === undefined) return 0;
  return isAnnounced(run, service) ? counts.lost + counts.slow : missed(counts);
}
