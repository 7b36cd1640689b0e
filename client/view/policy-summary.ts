import type { NodeSurgeLimit, Policy } from '../../core/policy/policy.ts';
import type { RolloutPolicy } from '../../core/rollout/rollout.ts';
import { describeWindow } from '../../core/schedule/describe-schedule.ts';
import { count, formatDuration } from '../../core/text/format.ts';

/** A policy in a few words. */
export interface PolicySummary {
  /** `cluster/pool`. */
  readonly pool: string;
  /** The replacement pool and its version. */
  readonly target: string;
  /** When the pool may be upgraded. */
  readonly windows: string;
  /** In which stages its nodes are replaced, and where somebody has to approve. */
  readonly rollout: string;
}

/** Pure: a policy in a few words. */
export function summarizePolicy({ cluster, pool, target, schedule, rollout, nodeSurge }: Policy): PolicySummary {
  return {
    pool: `${cluster.name}/${pool.name}`,
    target: `${target.poolName} ${describeVersion(target)}`,
    windows: describeWindows(schedule),
    rollout: [...describeStages(rollout), describeNodeSurge(nodeSurge)].join(', '),
  };
}

function describeVersion({ poolName: _name, version, ...settings }: Policy['target']): string {
  const parts = [
    ...(version === undefined ? [] : [version]),
    ...Object.entries(settings).flatMap(([field, value]) => (value === undefined ? [] : [`${spaced(field)} ${value}`])),
  ];
  return parts.length === 0 ? '(same version, newest release)' : `(${parts.join(', ')})`;
}

/** The name of a field as words: `launch template version`. */
function spaced(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function describeWindows(schedule: Policy['schedule']): string {
  if (schedule === undefined) return 'at any time';
  const { windows, timeZone, freezes, calendars } = schedule;
  const named = windows.map((window) => describeWindow(window, timeZone));
  return [
    named.length > 2 ? `${count(named.length, 'window')} in ${timeZone}` : named.join(' or '),
    ...(freezes.length === 0 ? [] : [count(freezes.length, 'freeze')]),
    ...(calendars.length === 0 ? [] : [count(calendars.length, 'calendar')]),
  ].join(', ');
}

function describeStages(rollout: RolloutPolicy | undefined): readonly string[] {
  if (rollout === undefined) return ['all nodes in one stage'];
  const { canary, zones, approvals, maxFailures } = rollout;
  const soak = canary === undefined || canary.soakMs === 0 ? '' : ` with a soak of ${formatDuration(canary.soakMs)}`;
  return [
    ...(canary === undefined ? [] : [`canary of ${count(canary.nodes, 'node')}${soak}`]),
    ...(zones.length === 0 ? [] : [`zones ${zones.join(' → ')}`]),
    ...(approvals === undefined ? [] : [`approval at ${approvals.at.join(', ')}`]),
    ...(maxFailures === undefined ? [] : [`continues beside ${count(maxFailures, 'stalled node')}`]),
  ];
}

function describeNodeSurge(limit: NodeSurgeLimit = { share: 1 }): string {
  return `node surge ${'share' in limit ? `${Math.round(limit.share * 100)}%` : limit.instances}`;
}
