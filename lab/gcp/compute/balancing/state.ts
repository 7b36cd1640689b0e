import type { Believed, CheckCount, Propagation } from '../../../load-balancing.ts';
import type { Backend } from '../state.ts';

/** A VM or an endpoint behind a backend service or a target pool: the control plane's view. */
export interface Member extends CheckCount {
  readonly id: string;
  /** Path of the backend service or the target pool. */
  readonly owner: string;
  /** Path of the group that it is in; of a target pool, the pool itself. */
  readonly group: string;
  /** `zones/Z/instances/N`. */
  readonly instance: string;
  readonly ip: string;
  /** Of a pod; undefined where the node as a whole is the member. */
  readonly port: number | undefined;
  healthy: boolean;
  /** The load balancer has it: its health is checked. */
  known: boolean;
  /** It was detached: it gets no new connections once that has reached the data plane. */
  leaving: boolean;
  /** The time of its connections is over. */
  cut: boolean;
  cancelTimer: (() => void) | undefined;
}

/** What the data plane knows of a member. */
interface Route extends Believed {
  readonly instance: string;
  readonly ip: string;
  readonly port: number | undefined;
}

/** Everything about load balancers that pass real packets on. */
export interface Balancing {
  /** By ID; those that leave are here until they have left. */
  readonly members: Map<string, Member>;
  /** By the path of the backend service or the target pool. */
  readonly propagations: Map<string, Propagation<Route>>;
}

/** The ID of a member behind an owner. Two VMs of one name, one after the other, are two members. */
export function memberId(
  owner: string,
  group: string,
  { instance, port }: Pick<Backend, 'instance' | 'port'>,
  ip: string,
): string {
  return [owner, group, instance, ip, ...(port === undefined ? [] : [port])].join(' ');
}
