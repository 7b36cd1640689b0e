/** What the models of the load balancers of both clouds have in common. */
import type { Clock } from './aws/clock.ts';
import type { DataPlane, ForwardingRule, HealthProbe, ProbeResult } from './contracts.ts';

/** What the data plane knows of the members of a group, by their keys: the control plane's view, some time later. */
export interface Propagation<Route> {
  readonly routes: Map<string, Route>;
  /** Number of the newest change of any member. */
  changes: number;
  /** Number of the newest change that reached the data plane, by member; older changes that arrive later are ignored. */
  readonly arrived: Map<string, number>;
}

/** A group of which the data plane knows nothing yet. */
export function noPropagation<Route>(): Propagation<Route> {
  return { routes: new Map(), changes: 0, arrived: new Map() };
}

/** Sends a change of a member to the data plane, which it reaches after this many milliseconds; then `onArrival` is called. */
export function propagate<Route>(
  clock: Clock,
  group: Propagation<Route>,
  key: string,
  route: Route | 'gone',
  ms: number,
  onArrival: () => void,
): void {
  group.changes += 1;
  const change = group.changes;
  const arrive = () => {
    if ((group.arrived.get(key) ?? 0) > change) return;
    group.arrived.set(key, change);
    if (route === 'gone') group.routes.delete(key);
    else group.routes.set(key, route);
    onArrival();
  };
  if (ms === 0) arrive();
  else clock.after(ms, arrive);
}

/** What the data plane believes about a member's health. */
export interface Believed {
  readonly belief: 'registered' | 'healthy' | 'unhealthy';
}

/** Those that get new connections: the healthy ones; when none is healthy, all. */
export function receivers<Route extends Believed>(routes: readonly Route[]): readonly Route[] {
  const healthy = routes.filter(({ belief }) => belief === 'healthy');
  return healthy.length > 0 ? healthy : routes;
}

/** Health checks in a row with the same outcome. */
export interface CheckCount {
  passes: number;
  failures: number;
}

/** Counts a health check. Says what so many in a row prove; undefined while they prove nothing. */
export function countCheck(
  count: CheckCount,
  ok: boolean,
  thresholds: { readonly healthyThreshold: number; readonly unhealthyThreshold: number },
): 'healthy' | 'unhealthy' | undefined {
  count.passes = ok ? count.passes + 1 : 0;
  count.failures = ok ? 0 : count.failures + 1;
  if (count.passes >= thresholds.healthyThreshold) return 'healthy';
  return count.failures >= thresholds.unhealthyThreshold ? 'unhealthy' : undefined;
}

/** A health check, with what its results are about. */
export interface SubjectProbe<Subject> {
  readonly probe: HealthProbe;
  readonly subject: Subject;
}

/** Returns what tells the data plane rules and health checks, when they differ from what it was told before. */
export function dataPlaneUpdates<Subject>(
  dataPlane: DataPlane,
  onResult: (subject: Subject, result: ProbeResult) => void,
): (rules: readonly ForwardingRule[], probes: readonly SubjectProbe<Subject>[]) => void {
  let lastRules = '[]';
  let lastProbes = '[]';
  let subjects = new Map<string, Subject>();
  return (rules, checks) => {
    const rulesText = JSON.stringify(rules);
    if (rulesText !== lastRules) {
      lastRules = rulesText;
      dataPlane.forward(rules);
    }
    subjects = new Map(checks.map(({ probe, subject }) => [probe.id, subject]));
    const probes = checks.map(({ probe }) => probe);
    const probesText = JSON.stringify(probes);
    if (probesText === lastProbes) return;
    lastProbes = probesText;
    dataPlane.probe(probes, (result) => {
      const subject = subjects.get(result.id);
      if (subject !== undefined) onResult(subject, result);
    });
  };
}
