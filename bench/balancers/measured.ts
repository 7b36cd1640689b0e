import type { RequestCounts } from '../../demo/report.ts';

/** How a pool was replaced: the two modes of nodeferry, and the usual order (cordon, drain, terminate) as their control. */
export const balancersOrders = ['pod-surge', 'batches', 'usual'] as const;
/** One of them. */
export type BalancersOrder = (typeof balancersOrders)[number];

/** One replacement of a pool that is behind load balancers of several kinds at once. */
export interface BalancersRun {
  readonly order: BalancersOrder;
  readonly seconds: number;
  /** By the name of the Service. */
  readonly services: Readonly<Record<string, RequestCounts>>;
  /** What nodeferry said before that it could not protect, in its own words. */
  readonly unprotected: readonly string[];
}

/** Scenarios of the lab that are measured. */
export const balancersScenarios = ['gke-balancers', 'gke-groups', 'gke-pods', 'eks-balancers'] as const;
/** One of them. */
export type BalancersScenario = (typeof balancersScenarios)[number];

/** What was measured in one scenario: kept as docs/measurements/SCENARIO.json. */
export interface MeasuredBalancers {
  readonly scenario: BalancersScenario;
  readonly date: string;
  /** Processors and memory of the host. */
  readonly host: string;
  readonly runs: readonly BalancersRun[];
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
