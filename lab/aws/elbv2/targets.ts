import type { ProbeResult } from '../../contracts.ts';
import { countCheck, propagate } from '../../load-balancing.ts';
import type { Instance } from '../ec2/state.ts';
import { notifyChange, type World } from '../world.ts';
import type { LoadBalancer, Route, Target, TargetGroup, TargetReason, TargetState } from './state.ts';
import { breakFlowsTo } from './traffic.ts';

/** Key of a target in its group. */
export const targetKey = (id: string, port: number) => `${id}:${port}`;

/** Load balancers that send traffic to a target group. */
export function loadBalancersOf(world: World, group: TargetGroup): LoadBalancer[] {
  return [...world.loadBalancers.values()].filter((balancer) =>
    [...balancer.listeners.values()].some((listener) => listener.targetGroupArn === group.arn),
  );
}

function enter(target: Target, state: TargetState, reason?: TargetReason): void {
  target.cancelTimer?.();
  target.cancelTimer = undefined;
  target.state = state;
  target.reason = reason;
  target.passes = 0;
  target.failures = 0;
}

/** Sends a change to the data plane, which it reaches after this many milliseconds. */
function spread(world: World, group: TargetGroup, target: Target, belief: Route['belief'] | 'gone', ms: number): void {
  const { id, port, ip, zone } = target;
  const route = belief === 'gone' ? belief : { id, port, ip, zone, belief };
  propagate(world.clock, group, targetKey(id, port), route, ms, () => notifyChange(world));
}

/** Registers a target, or restores one that is draining. One that is already registered stays as it is. */
export function registerTarget(
  world: World,
  group: TargetGroup,
  where: Pick<Target, 'id' | 'port' | 'ip' | 'zone'>,
): void {
  const key = targetKey(where.id, where.port);
  const known = group.targets.get(key);
  if (known !== undefined && known.state !== 'draining') return;
  known?.cancelTimer?.();
  const target: Target = {
    ...where,
    state: 'unused',
    reason: 'Target.NotInUse',
    passes: 0,
    failures: 0,
    cancelTimer: undefined,
  };
  group.targets.set(key, target);
  startUse(world, group, target);
  notifyChange(world);
}

/** A target is used if a load balancer forwards to its group and has the target's zone enabled (API reference, TargetHealth). */
function startUse(world: World, group: TargetGroup, target: Target): void {
  const used = loadBalancersOf(world, group).some(({ zones }) => zones.some(({ zone }) => zone === target.zone));
  if (!used || target.state !== 'unused') return;
  enter(target, 'initial', 'Elb.RegistrationInProgress');
  target.cancelTimer = world.clock.after(world.delays.registrationMs, () => {
    enter(target, 'initial', 'Elb.InitialHealthChecking');
    spread(world, group, target, 'registered', 0);
    notifyChange(world);
  });
}

/** Follows a change of listeners or zones: targets come into use, or are no longer used. */
export function followUse(world: World, group: TargetGroup): void {
  const inUse = loadBalancersOf(world, group).length > 0;
  for (const target of group.targets.values()) {
    if (inUse) startUse(world, group, target);
    else if (target.state !== 'unused' && target.state !== 'draining') {
      enter(target, 'unused', 'Target.NotInUse');
      spread(world, group, target, 'gone', 0);
    }
  }
  notifyChange(world);
}

/**
 * Deregisters a target: `draining` at once and for the deregistration delay, then gone. New connections still reach it until the change has
 * propagated. Established connections go on; only with connection termination does the load balancer end them after the delay (Network Load Balancer
 * guide, "Deregistration delay").
 */
export function deregisterTarget(world: World, group: TargetGroup, target: Target): void {
  if (target.state === 'draining') return;
  const wasUsed = target.state !== 'unused';
  enter(target, 'draining', 'Target.DeregistrationInProgress');
  world.deregisteredAt.set(target.id, world.clock.now());
  if (wasUsed) {
    spread(world, group, target, 'gone', world.delays.deregistrationPropagationMs);
    const delayMs = Number(group.attributes.get('deregistration_delay.timeout_seconds')) * 1000;
    target.cancelTimer = world.clock.after(delayMs, () => {
      remove(world, group, target);
      if (group.attributes.get('deregistration_delay.connection_termination.enabled') === 'true') {
        breakFlowsTo(world, group, target);
      }
    });
  } else {
    remove(world, group, target);
  }
  notifyChange(world);
}

function remove(world: World, group: TargetGroup, target: Target): void {
  const key = targetKey(target.id, target.port);
  if (group.targets.get(key) === target) group.targets.delete(key);
  notifyChange(world);
}

/** Whether the load balancer checks this target's health now. */
export function isChecked(target: Target): boolean {
  switch (target.state) {
    case 'initial':
      return target.reason === 'Elb.InitialHealthChecking';
    case 'healthy':
    case 'unhealthy':
    case 'unhealthy.draining':
      return true;
    case 'draining':
    case 'unused':
      return false;
  }
}

/** Counts one health check; a number of equal results in a row changes the state (Network Load Balancer guide, "Health checks"). */
export function countHealthCheck(world: World, group: TargetGroup, target: Target, result: ProbeResult): void {
  if (!isChecked(target)) return;
  const verdict = countCheck(target, result.ok, group.healthCheck);
  if (target.state !== 'healthy' && verdict === 'healthy') {
    enter(target, 'healthy');
    spread(world, group, target, 'healthy', world.delays.healthyPropagationMs);
  } else if ((target.state === 'healthy' || target.state === 'initial') && verdict === 'unhealthy') {
    becomeUnhealthy(world, group, target);
  } else return;
  notifyChange(world);
}

/**
 * By default, a target that becomes unhealthy has its established connections reset. When that is disabled they go on. With a draining interval the
 * state is `unhealthy.draining` for that long (Network Load Balancer guide, "Connection termination for unhealthy targets" and "Unhealthy draining
 * interval").
 */
function becomeUnhealthy(world: World, group: TargetGroup, target: Target): void {
  const resets = group.attributes.get('target_health_state.unhealthy.connection_termination.enabled') === 'true';
  const drainingMs = Number(group.attributes.get('target_health_state.unhealthy.draining_interval_seconds')) * 1000;
  const drains = target.state === 'healthy' && !resets && drainingMs > 0;
  if (resets && target.state === 'healthy') breakFlowsTo(world, group, target);
  enter(target, drains ? 'unhealthy.draining' : 'unhealthy', 'Target.FailedHealthChecks');
  if (drains) {
    target.cancelTimer = world.clock.after(drainingMs, () => {
      target.state = 'unhealthy';
      notifyChange(world);
    });
  }
  spread(world, group, target, 'unhealthy', world.delays.unhealthyPropagationMs);
}

/**
 * The load balancer deregisters a terminated instance on its own, some time later; until then only health checks notice. AWS documents no time for
 * this. People report minutes during which such an instance still gets connections (aws/aws-node-termination-handler issue 316).
 */
export function followTermination(world: World): void {
  world.instanceListeners.push((instance: Instance) => {
    if (instance.state !== 'shutting-down') return;
    world.clock.after(world.delays.terminatedTargetMs, () => {
      for (const group of world.targetGroups.values()) {
        for (const target of group.targets.values()) {
          if (target.id === instance.id) deregisterTarget(world, group, target);
        }
      }
    });
  });
}
