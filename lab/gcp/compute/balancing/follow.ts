import type { DataPlane, ProbeResult } from '../../../contracts.ts';
import { countCheck, dataPlaneUpdates, noPropagation, propagate } from '../../../load-balancing.ts';
import { notifyChange, type World } from '../../world.ts';
import { connectionDrainMs } from '../kinds/backends.ts';
import { healthCheckOf, probeFor } from './health-check.ts';
import { flowsTo, rulesInForce } from './rules.ts';
import type { Balancing, Member } from './state.ts';
import { groupsBehind, type Wanted, wantedMembers } from './wanted.ts';

/** Keeps the data plane up to date: after every change, it is sent what differs from before. */
export function driveDataPlane(world: World, balancing: Balancing, dataPlane: DataPlane): void {
  const update = dataPlaneUpdates<Member>(dataPlane, (member, result) => {
    takeResult(world, balancing, member, result);
  });
  world.changeListeners.add(() => {
    followMembers(world, balancing, dataPlane);
    const probes = [...balancing.members.values()]
      .filter(({ known }) => known)
      .flatMap((subject) => {
        const probe = probeFor(world, subject);
        return probe === undefined ? [] : [{ probe, subject }];
      });
    update(rulesInForce(world, balancing), probes);
  });
}

function followMembers(world: World, balancing: Balancing, dataPlane: DataPlane): void {
  const wanted = wantedMembers(world, balancing);
  for (const one of wanted.values()) {
    const member = balancing.members.get(one.id);
    if (one.draining) {
      if (member !== undefined && !member.leaving) leave(world, balancing, dataPlane, member);
    } else if (member === undefined || member.leaving) {
      join(world, balancing, one, member);
    }
  }
  for (const member of balancing.members.values()) {
    if (!wanted.has(member.id) && !member.leaving) leave(world, balancing, dataPlane, member);
  }
}

/** A member is attached, or attached again while it leaves: then it keeps its connections and its health. */
function join(world: World, balancing: Balancing, wanted: Wanted, before: Member | undefined): void {
  before?.cancelTimer?.();
  const { draining: _, ...what } = wanted;
  const unchecked = healthCheckOf(world, wanted.owner) === undefined;
  const member: Member = {
    ...what,
    passes: 0,
    failures: 0,
    healthy: before?.healthy ?? unchecked,
    known: before?.known ?? false,
    leaving: false,
    cut: false,
    cancelTimer: undefined,
  };
  balancing.members.set(member.id, member);
  spread(world, balancing, member, world.delays.attachPropagationMs, () => {
    member.known = true;
  });
}

/**
 * A member is detached: new connections reach it until that has spread, and those that it has live until the connection draining timeout of its backend
 * service is over; then "the load balancer stops sending all traffic" to it (load balancing documentation, "Enable connection draining"). Without
 * draining they are cut at once. No source says so: Google may well leave them alone until its own entries expire, and this is the worse case.
 */
function leave(world: World, balancing: Balancing, dataPlane: DataPlane, member: Member): void {
  member.leaving = true;
  member.cancelTimer?.();
  const cut = () => {
    const flows = flowsTo(world, member);
    if (flows.length > 0) dataPlane.breakFlows(flows);
  };
  const propagation = propagationOf(balancing, member);
  const forget = () => {
    if (balancing.members.get(member.id) === member) balancing.members.delete(member.id);
  };
  const timeoutMs = drainTimeoutMs(world, member);
  const end = () => {
    member.cut = true;
    if (!propagation.routes.has(member.id)) forget();
  };
  if (timeoutMs === 0) {
    end();
    cut();
  } else {
    member.cancelTimer = world.clock.after(timeoutMs, () => {
      end();
      notifyChange(world);
      cut();
    });
  }
  propagate(world.clock, propagation, member.id, 'gone', world.delays.detachPropagationMs, () => {
    if (member.cut) forget();
    notifyChange(world);
    // Those that came while the change was on its way.
    if (member.cut) cut();
  });
}

/** Connections drain when a VM or an endpoint leaves its group, not when a group leaves its backend service, and not in target pools (same page). */
function drainTimeoutMs(world: World, { owner, group }: Member): number {
  const resource = world.resources.get(owner);
  if (owner === group || resource === undefined) return 0;
  const found = groupsBehind(world, resource).find(({ path }) => path === group);
  return found === undefined ? 0 : connectionDrainMs(world, found);
}

/**
 * Counts a health check. Connections to a member that becomes unhealthy go on: the default of connectionPersistenceOnUnhealthyBackends for TCP
 * (Compute API reference, BackendServiceConnectionTrackingPolicy).
 */
function takeResult(world: World, balancing: Balancing, member: Member, { ok }: ProbeResult): void {
  const check = healthCheckOf(world, member.owner);
  const verdict = check && countCheck(member, ok, check);
  if (verdict === undefined || member.healthy === (verdict === 'healthy')) return;
  member.healthy = verdict === 'healthy';
  const { healthyPropagationMs, unhealthyPropagationMs } = world.delays;
  if (!member.leaving) spread(world, balancing, member, member.healthy ? healthyPropagationMs : unhealthyPropagationMs);
  notifyChange(world);
}

/** Sends what is known of a member to the data plane, which it reaches after this many milliseconds. */
function spread(world: World, balancing: Balancing, member: Member, ms: number, onArrival?: () => void): void {
  const { id, instance, ip, port, healthy } = member;
  const route = { instance, ip, port, belief: healthy ? ('healthy' as const) : ('unhealthy' as const) };
  propagate(world.clock, propagationOf(balancing, member), id, route, ms, () => {
    onArrival?.();
    notifyChange(world);
  });
}

function propagationOf({ propagations }: Balancing, { owner }: Member) {
  const known = propagations.get(owner) ?? noPropagation();
  propagations.set(owner, known);
  return known;
}
