import type { Slices } from '../../slices.ts';
import { compareText } from '../../text/format.ts';
import { type Finding, severities } from '../finding.ts';
import { con001UnknownAge } from './con-001-unknown-age.ts';
import { grd001Deadlock } from './grd-001-deadlock.ts';
import { grd002NoneStay } from './grd-002-none-stay.ts';
import { grd003NoCandidateStays } from './grd-003-no-candidate-stays.ts';
import { hnd001CannotSurge } from './hnd-001-cannot-surge.ts';
import { inf003PoolBusy } from './inf-003-pool-busy.ts';
import { inf004UnmanagedMarks } from './inf-004-unmanaged-marks.ts';
import { inf006FewAddresses } from './inf-006-few-addresses.ts';
import { inf008WebhookOnPool } from './inf-008-webhook-on-pool.ts';
import { inf009ApiOnPool } from './inf-009-api-on-pool.ts';
import { inf012NodesMissing } from './inf-012-nodes-missing.ts';
import { inf013ProtectedNode } from './inf-013-protected-node.ts';
import { inf014TooLarge } from './inf-014-too-large.ts';
import { inf015Unread } from './inf-015-unread.ts';
import { inf016WindowsNodes } from './inf-016-windows.ts';
import { inf017PoolExists } from './inf-017-pool-exists.ts';
import { inf018Held } from './inf-018-held.ts';
import { inf019NotAdoptable } from './inf-019-not-adoptable.ts';
import { inf020InPlace } from './inf-020-in-place.ts';
import { inf021UnevenZones } from './inf-021-uneven-zones.ts';
import { inf022AttachedBalancer } from './inf-022-attached-balancer.ts';
import { inf023OwnSettings } from './inf-023-own-settings.ts';
import { inf024Untried } from './inf-024-untried.ts';
import { pol001UnknownService } from './pol-001-unknown-service.ts';
import { pol002DisabledRules } from './pol-002-disabled-rules.ts';
import { pol003Zeroed } from './pol-003-zeroed.ts';
import { pol004UnknownWorkload } from './pol-004-unknown-workload.ts';
import type { AuditQuestion, AuditRule } from './rule.ts';
import { svc001SingleNode } from './svc-001-single-node.ts';
import { svc002SingleNodeZone } from './svc-002-single-node-zone.ts';
import { svc005PublishesNotReady } from './svc-005-publishes-not-ready.ts';
import { svc006SlowHealthCheck } from './svc-006-slow-health-check.ts';
import { svc008ShortDeregistration } from './svc-008-short-deregistration.ts';
import { svc017TargetNodeLabels } from './svc-017-target-node-labels.ts';
import { svc018PoolExcluded } from './svc-018-pool-excluded.ts';
import { svc020NoTargetGroup } from './svc-020-no-target-group.ts';
import { svc025TooManyTargets } from './svc-025-too-many-targets.ts';
import { svc027NodePort } from './svc-027-node-port.ts';
import { svc028Unsupported } from './svc-028-unsupported.ts';
import { svc029InternalLocal } from './svc-029-internal-local.ts';
import { svc030NoDraining } from './svc-030-no-draining.ts';
import { svc032NoHealthyTarget } from './svc-032-no-healthy-target.ts';
import { wkl001SingleReplica } from './wkl-001-single-replica.ts';
import { wkl002NoBudget } from './wkl-002-no-budget.ts';
import { wkl003BudgetNeverAllows } from './wkl-003-budget-never-allows.ts';
import { wkl004SeveralBudgets } from './wkl-004-several-budgets.ts';
import { wkl008LeavesWhileListed } from './wkl-008-evicted-while-endpoint.ts';
import { wkl016NotEvictableEndpoint } from './wkl-016-not-evictable-endpoint.ts';
import { wkl017BarePod } from './wkl-017-bare-pod.ts';
import { wkl018EmptyDir } from './wkl-018-empty-dir.ts';
import { wkl019PinnedToOldNodes } from './wkl-019-pinned-to-old-nodes.ts';
import { wkl021LongGracePeriod } from './wkl-021-long-grace-period.ts';
import { wkl025DoNotDisrupt } from './wkl-025-do-not-disrupt.ts';
import { wkl026JobPod } from './wkl-026-job-pod.ts';
import { wkl027StuckTerminating } from './wkl-027-stuck-terminating.ts';
import { wkl028RollsOut } from './wkl-028-rolls-out.ts';
import { wkl029CrowdedHosts } from './wkl-029-crowded-hosts.ts';
import { wkl030ToleratesCordon } from './wkl-030-tolerates-cordon.ts';
import { wkl031LocalVolume } from './wkl-031-local-volume.ts';
import { wkl032Resized } from './wkl-032-resized.ts';
import { wkl034EvictedWhileTarget } from './wkl-034-evicted-while-target.ts';

/** Every rule that can be decided from one observation. */
const auditRules: readonly AuditRule[] = [
  svc001SingleNode,
  svc002SingleNodeZone,
  svc005PublishesNotReady,
  svc006SlowHealthCheck,
  svc008ShortDeregistration,
  svc017TargetNodeLabels,
  svc018PoolExcluded,
  svc020NoTargetGroup,
  svc025TooManyTargets,
  svc027NodePort,
  svc028Unsupported,
  svc029InternalLocal,
  svc030NoDraining,
  svc032NoHealthyTarget,
  con001UnknownAge,
  wkl001SingleReplica,
  wkl002NoBudget,
  wkl003BudgetNeverAllows,
  wkl004SeveralBudgets,
  wkl008LeavesWhileListed,
  wkl016NotEvictableEndpoint,
  wkl017BarePod,
  wkl018EmptyDir,
  wkl019PinnedToOldNodes,
  wkl021LongGracePeriod,
  wkl025DoNotDisrupt,
  wkl026JobPod,
  wkl027StuckTerminating,
  wkl028RollsOut,
  wkl029CrowdedHosts,
  wkl030ToleratesCordon,
  wkl031LocalVolume,
  wkl032Resized,
  wkl034EvictedWhileTarget,
  inf003PoolBusy,
  inf004UnmanagedMarks,
  inf006FewAddresses,
  inf008WebhookOnPool,
  inf009ApiOnPool,
  inf012NodesMissing,
  inf013ProtectedNode,
  inf014TooLarge,
  inf015Unread,
  inf016WindowsNodes,
  inf017PoolExists,
  inf018Held,
  inf019NotAdoptable,
  inf020InPlace,
  inf021UnevenZones,
  inf022AttachedBalancer,
  inf023OwnSettings,
  inf024Untried,
  grd001Deadlock,
  grd002NoneStay,
  grd003NoCandidateStays,
  hnd001CannotSurge,
  pol001UnknownService,
  pol002DisabledRules,
  pol003Zeroed,
  pol004UnknownWorkload,
];

/** Applies every rule and lists the findings, most severe first, in an order that does not depend on the order of the facts. */
export function* auditInSlices(question: AuditQuestion): Slices<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const rule of auditRules) {
    yield;
    findings.push(...rule(question));
  }
  return findings.toSorted(
    (a, b) =>
      severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
      compareText(a.rule, b.rule) ||
      compareText(a.subject, b.subject),
  );
}
