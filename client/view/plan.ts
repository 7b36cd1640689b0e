import { describeMinServing } from '../../core/guard/min-serving.ts';
import { recordAccepted } from '../../core/plan/acceptance.ts';
import type { Finding } from '../../core/plan/finding.ts';
import type { WorkloadSurge } from '../../core/plan/pod-surge-plan.ts';
import type { PoolPlan, ServicePlan } from '../../core/plan/pool-plan.ts';
import { listUnprotected } from '../../core/policy/zeroed.ts';
import { count, formatDuration, listNames } from '../../core/text/format.ts';
import type { Style } from '../output/style.ts';
import { describeStages } from './plan-stages.ts';
import { toneOfSeverity } from './severity-tones.ts';
import { renderTable } from './table.ts';
import { fitWidth } from './wrap.ts';

/** Draws a plan: what is replaced, what protects each Service, what was found, how long it should take. */
export function renderPlan(plan: PoolPlan, style: Style): string[] {
  const { width } = style;
  const lines = [
    style.paint('strong', titleOf(plan)),
    '',
    ...renderTable(
      [['NODE', 'ZONE', 'INSTANCE'], ...plan.nodes.map((node) => [node.name, node.zone, node.instanceId])],
      width,
    ),
    '',
    ...renderTable(
      [
        ['SERVICE', 'POLICY', 'MIN-SERVING', 'WHY', 'CONN-DRAIN', 'FORWARDED', 'ENDPOINTS'],
        ...plan.services.map(serviceRow),
      ],
      width,
    ),
    '',
    ...renderPodSurge(plan, width),
    ...renderFindings(plan.findings, style),
    renderSurge(plan),
    ...describeStages(plan),
    `expected ${formatDuration(plan.estimate.totalMs)}: ${plan.estimate.terms
      .map((term) => `${term.name} ${formatDuration(term.ms)}`)
      .join(', ')}`,
    ...renderInVain(plan),
    ...unprotected(plan, style),
  ];
  return fitWidth(lines, style);
}

function titleOf({ oldPool, newPool, fromVersion, toVersion, policy, nodes }: PoolPlan): string {
  const pool = `${oldPool.cluster}/${oldPool.name}`;
  const { selection } = policy;
  if (selection === undefined) return `${pool} → ${newPool.name}   ${fromVersion} → ${toVersion}`;
  return `${pool}   drain ${count(nodes.length, 'node')}${selection.terminate ? ' and terminate' : ''}`;
}

function renderSurge({ surge, surgeAtOnce, estimate, policy }: PoolPlan): string {
  if (policy.selection !== undefined) return 'no new nodes: pods move to nodes that stay';
  const instances = surgeAtOnce === undefined ? 'together' : `at most ${surgeAtOnce} at a time beyond the pool’s size`;
  const cost =
    estimate.instanceMinutes === undefined
      ? ''
      : `; at most ${estimate.instanceMinutes} instance-minutes beyond the pool`;
  return `surge ${surge} nodes, ${instances}${cost}`;
}

function serviceRow(service: ServicePlan): string[] {
  return [
    service.service,
    service.externalTrafficPolicy,
    describeMinServing(service.minServing),
    service.minServing.source,
    formatDuration(service.connectionDrainMs),
    formatDuration(service.forwardedMs),
    service.removeEndpoints ? 'yes' : 'no',
  ];
}

function renderPodSurge({ podSurge: workloads = [], newPool }: PoolPlan, width: number | undefined): string[] {
  if (workloads.length === 0) return [];
  const rows = workloads.map(({ workload, pods, how, together, reason = '', hint = '' }) => [
    workload,
    String(pods),
    how,
    together === undefined ? '-' : String(together),
    [reason, hint].filter((part) => part !== '').join('. ') || '-',
  ]);
  const table = renderTable([['WORKLOAD', 'PODS', 'HOW', 'BATCH', 'WHY'], ...rows], width);
  return [...table, '', ...renderMeanwhile(workloads, newPool.name)];
}

/**
 * What others see during pod surge: a Deployment counts the pods that it owns, so as many of its replicas are unavailable as were released, until
 * their replacements are Ready.
 */
function renderMeanwhile(workloads: readonly WorkloadSurge[], newPool: string): string[] {
  const moved = workloads.filter(({ how }) => how === 'pod surge');
  if (moved.length === 0) return [];
  const most = moved.map(
    ({ workload, pods, together = pods }) => `${workload} ${Math.min(pods, together)} of ${pods} here`,
  );
  return [
    `replicas count as unavailable until replacements are ready, and alerts on that fire: ${listNames(most, 10)}`,
    `replacements may come to any node that takes them${newPool === '' ? '' : `, not to ${newPool} only`}, and push out pods of lower priority there`,
    '',
  ];
}

function renderFindings(findings: readonly Finding[], style: Style): string[] {
  if (findings.length === 0) return ['no findings', ''];
  const lines = findings.flatMap((finding) => [
    `${style.paint(toneOfSeverity[finding.severity], finding.severity.padEnd(7))} ${finding.rule} ${finding.subject}: ${finding.message}`,
    finding.accepted === undefined
      ? `        fix: ${finding.hint}`
      : style.paint('warn', `        accepted: ${finding.accepted}`),
  ]);
  return [...lines, ''];
}

/** Rules that are accepted and have found nothing. */
function renderInVain({ findings, policy }: PoolPlan): string[] {
  const without = recordAccepted(findings, policy).filter(({ found }) => found.length === 0);
  return without.length === 0 ? [] : [`accepted, but nothing was found: ${listNames(without.map(({ rule }) => rule))}`];
}

function unprotected(plan: PoolPlan, style: Style): string[] {
  const without = listUnprotected(plan.policy);
  return without.length === 0 ? [] : [style.paint('bad', `UNPROTECTED: disabled: ${without.join(', ')}`)];
}
