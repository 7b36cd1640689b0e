/** Rules of the plan that the audit applies to the whole cluster. What they find, and when, is written in core/plan/audit alone. */
import { targetGroupsOf } from '../guard/serving.ts';
import { indexOf } from '../model/cluster-index.ts';
import { hasPods, type TargetGroupFacts } from '../model/target-group.ts';
import { con001UnknownAge } from '../plan/audit/con-001-unknown-age.ts';
import { inf004UnmanagedMarks } from '../plan/audit/inf-004-unmanaged-marks.ts';
import { inf008WebhookOnPool } from '../plan/audit/inf-008-webhook-on-pool.ts';
import { inf009ApiOnPool } from '../plan/audit/inf-009-api-on-pool.ts';
import { inf013ProtectedNode } from '../plan/audit/inf-013-protected-node.ts';
import { inf015Unread } from '../plan/audit/inf-015-unread.ts';
import { drainsNothing } from '../plan/audit/rule.ts';
import { svc001SingleNode } from '../plan/audit/svc-001-single-node.ts';
import { svc002SingleNodeZone } from '../plan/audit/svc-002-single-node-zone.ts';
import { svc005PublishesNotReady } from '../plan/audit/svc-005-publishes-not-ready.ts';
import { svc006SlowHealthCheck } from '../plan/audit/svc-006-slow-health-check.ts';
import { isDrainedBriefly, svc008ShortDeregistration } from '../plan/audit/svc-008-short-deregistration.ts';
import { svc017TargetNodeLabels } from '../plan/audit/svc-017-target-node-labels.ts';
import { svc020NoTargetGroup } from '../plan/audit/svc-020-no-target-group.ts';
import { svc025TooManyTargets } from '../plan/audit/svc-025-too-many-targets.ts';
import { svc027NodePort } from '../plan/audit/svc-027-node-port.ts';
import { svc028Unsupported } from '../plan/audit/svc-028-unsupported.ts';
import { svc029InternalLocal } from '../plan/audit/svc-029-internal-local.ts';
import { svc030NoDraining } from '../plan/audit/svc-030-no-draining.ts';
import { svc032NoHealthyTarget } from '../plan/audit/svc-032-no-healthy-target.ts';
import { canShareBudget, servicesWithoutBudget } from '../plan/audit/without-budget.ts';
import { wkl001SingleReplica } from '../plan/audit/wkl-001-single-replica.ts';
import { wkl002NoBudget } from '../plan/audit/wkl-002-no-budget.ts';
import { wkl003BudgetNeverAllows } from '../plan/audit/wkl-003-budget-never-allows.ts';
import { wkl004SeveralBudgets } from '../plan/audit/wkl-004-several-budgets.ts';
import { wkl008LeavesWhileListed } from '../plan/audit/wkl-008-evicted-while-endpoint.ts';
import { wkl016NotEvictableEndpoint } from '../plan/audit/wkl-016-not-evictable-endpoint.ts';
import { wkl017BarePod } from '../plan/audit/wkl-017-bare-pod.ts';
import { wkl018EmptyDir } from '../plan/audit/wkl-018-empty-dir.ts';
import { wkl021LongGracePeriod } from '../plan/audit/wkl-021-long-grace-period.ts';
import { wkl025DoNotDisrupt } from '../plan/audit/wkl-025-do-not-disrupt.ts';
import { wkl026JobPod } from '../plan/audit/wkl-026-job-pod.ts';
import { wkl027StuckTerminating } from '../plan/audit/wkl-027-stuck-terminating.ts';
import { wkl028RollsOut } from '../plan/audit/wkl-028-rolls-out.ts';
import { wkl030ToleratesCordon } from '../plan/audit/wkl-030-tolerates-cordon.ts';
import { wkl031LocalVolume } from '../plan/audit/wkl-031-local-volume.ts';
import { wkl032Resized } from '../plan/audit/wkl-032-resized.ts';
import { wkl034EvictedWhileTarget } from '../plan/audit/wkl-034-evicted-while-target.ts';
import type { Finding } from '../plan/finding.ts';
import { changeCheck } from './change-check.ts';
import type { WantedAttributes } from './cloud-terms.ts';
import { patchAnnotations, patchObject, withCommands } from './commands.ts';
import type { Fix } from './fix.ts';
import { type AddedFix, fromPlan } from './from-plan.ts';
import type { AuditedObject, AuditQuestion, Rule } from './rule.ts';
import { attributeFix, canSet, isUndrained } from './target-group-attributes.ts';
import { runTwo } from './two-replicas.ts';

const guide = 'Elastic Load Balancing user guide for Network Load Balancers';

/** How long connections may end by default, seconds: the least that SVC-008 asks for. */
const drainSeconds = 120;

/** The rules, in the order of their ids within each family. */
export const sharedRules: readonly Rule[] = [
  fromPlan('SVC-001', svc001SingleNode, {
    source: 'Kubernetes docs, Source IP for Services with Type=LoadBalancer',
    fix: twoReplicas,
  }),
  fromPlan('SVC-002', svc002SingleNodeZone, {
    source: `${guide}, target group health checks`,
    needsLoadBalancers: true,
    fix: setAttributes({ crossZone: true }, (group) => !group.crossZone),
  }),
  fromPlan('SVC-005', svc005PublishesNotReady, {
    source: 'kubernetes staging/src/k8s.io/endpointslice/utils.go',
    fix: (object) => withCommands(patchObject(object, { spec: { publishNotReadyAddresses: false } })),
  }),
  fromPlan('SVC-006', svc006SlowHealthCheck, {
    source: 'source-IP preservation proposal for Services',
    needsLoadBalancers: true,
    fix: quickerCheck,
  }),
  fromPlan('SVC-008', svc008ShortDeregistration, {
    source: `${guide}, target group attributes`,
    needsLoadBalancers: true,
    fix: setAttributes({ drainSeconds }, isDrainedBriefly),
  }),
  fromPlan('SVC-017', svc017TargetNodeLabels, {
    source: 'cloud-provider-aws pkg/providers/v1/aws_loadbalancer.go, filterTargetNodes',
    fix: (object, { terms: { annotations: own } }) =>
      withCommands(patchAnnotations(object, own && { [own.targetNodeLabels]: null })),
  }),
  fromPlan('SVC-020', svc020NoTargetGroup, { source: 'docs/concepts.md', needsLoadBalancers: true }),
  fromPlan('SVC-025', svc025TooManyTargets, {
    source: `${guide}, quotas; ingress-gce pkg/neg/syncers/subsets.go`,
    needsLoadBalancers: true,
  }),
  fromPlan('SVC-027', svc027NodePort, { source: 'docs/concepts.md', fix: acceptLoss }),
  fromPlan('SVC-028', svc028Unsupported, {
    source: 'docs/concepts.md',
    needsLoadBalancers: true,
    fix: acceptLoss,
    acceptedBy: ({ namespace, name }, { policy }) =>
      policy.guard.acceptUnprotected.includes(`${namespace}/${name}`) ? 'spec.guard.acceptUnprotected' : undefined,
  }),
  fromPlan('SVC-029', svc029InternalLocal, {
    source: 'Kubernetes docs, Service Internal Traffic Policy',
    fix: (object) => withCommands(patchObject(object, { spec: { internalTrafficPolicy: 'Cluster' } })),
  }),
  fromPlan('SVC-030', svc030NoDraining, {
    source: 'Compute Engine docs, Enable connection draining',
    needsLoadBalancers: true,
    fix: letConnectionsEnd,
  }),
  fromPlan('SVC-032', svc032NoHealthyTarget, {
    source: `${guide}, target group health checks`,
    needsLoadBalancers: true,
  }),
  fromPlan('CON-001', con001UnknownAge, {
    source: 'measured: connections through a terminated node hang until the client gives up',
    needsLoadBalancers: true,
    fix: setAttributes(
      { endsDrained: true },
      (group) => !hasPods(group) && group.terminatesConnectionsAfterDelay !== true,
      'Or have the load balancer close what is left at the end of its drain time.',
    ),
  }),
  fromPlan('WKL-001', wkl001SingleReplica, {
    source: 'Kubernetes docs, Disruptions',
    fix: twoReplicas,
  }),
  fromPlan('WKL-002', wkl002NoBudget, { source: 'Kubernetes docs, Specifying a Disruption Budget', fix: newBudget }),
  fromPlan('WKL-003', wkl003BudgetNeverAllows, {
    source: 'kubernetes pkg/registry/core/pod/storage/eviction.go',
    fix: (object) => withCommands(patchObject(object, { spec: { minAvailable: null, maxUnavailable: 1 } })),
  }),
  fromPlan('WKL-004', wkl004SeveralBudgets, { source: 'kubernetes pkg/registry/core/pod/storage/eviction.go' }),
  fromPlan('WKL-008', wkl008LeavesWhileListed, { source: 'measured: a StatefulSet lost 8 and 9 requests in two runs' }),
  fromPlan('WKL-016', wkl016NotEvictableEndpoint, {
    source: 'measured: 1,333 of 7,500 connections lost when the instance of a DaemonSet pod was terminated',
  }),
  fromPlan('WKL-017', wkl017BarePod, { source: 'kubectl pkg/drain/filters.go' }),
  fromPlan('WKL-018', wkl018EmptyDir, { source: 'kubectl pkg/drain/filters.go', isDecidedByPolicy: true }),
  fromPlan('WKL-021', wkl021LongGracePeriod, {
    source:
      'Amazon EKS user guide, Understand each phase of node updates (15 minutes); cluster autoscaler FAQ (10 minutes)',
  }),
  fromPlan('WKL-025', wkl025DoNotDisrupt, { source: 'cluster autoscaler FAQ; Karpenter docs, Disruption' }),
  fromPlan('WKL-026', wkl026JobPod, { source: 'Kubernetes docs, Pod failure policy' }),
  fromPlan('WKL-027', wkl027StuckTerminating, { source: 'docs/drain-rules.md' }),
  fromPlan('WKL-028', wkl028RollsOut, { source: 'Kubernetes docs, Deployments' }),
  fromPlan('WKL-030', wkl030ToleratesCordon, { source: 'Kubernetes docs, Taints and Tolerations' }),
  fromPlan('WKL-031', wkl031LocalVolume, { source: 'Kubernetes docs, Volumes, local' }),
  fromPlan('WKL-032', wkl032Resized, { source: 'Kubernetes autoscaler, vertical-pod-autoscaler' }),
  fromPlan('WKL-034', wkl034EvictedWhileTarget, {
    source: `${guide}, target group attributes`,
    needsLoadBalancers: true,
  }),
  fromPlan('INF-004', inf004UnmanagedMarks, { source: 'docs/architecture.md' }),
  fromPlan('INF-008', inf008WebhookOnPool, {
    source: 'Kubernetes docs, Dynamic Admission Control, failure policy',
    fix: twoReplicas,
  }),
  fromPlan('INF-009', inf009ApiOnPool, {
    source: 'Kubernetes docs, Kubernetes API Aggregation Layer',
    fix: twoReplicas,
  }),
  fromPlan('INF-013', inf013ProtectedNode, { source: 'Karpenter docs, Disruption' }),
  fromPlan('INF-015', inf015Unread, { source: 'deploy/rbac' }),
];

/** A second replica of the workload behind a Service that wants only one. */
function twoReplicas(service: AuditedObject, { facts: { cluster } }: AuditQuestion): AddedFix {
  const index = indexOf(cluster);
  const endpoints = index.service(`${service.namespace ?? ''}/${service.name}`)?.endpoints ?? [];
  const pod = endpoints.map(({ podUid }) => index.podsByUid.get(podUid ?? '')).find((one) => one !== undefined);
  const workload = index.workload(pod?.workload ?? '');
  if (pod === undefined || workload === undefined || workload.replicas >= 2) return {};
  const { text, commands } = runTwo(pod, cluster);
  return commands === undefined ? { instead: text } : { commands };
}

/** A budget for the pods that a Service selects, unless they would get a second one or it could not count on them. */
function newBudget({ namespace = '', name }: AuditedObject, question: AuditQuestion): Omit<Fix, 'text'> {
  const found = servicesWithoutBudget(question).find(({ service }) => service.key === `${namespace}/${name}`);
  if (found === undefined || found.coveredWith !== undefined || !canShareBudget(found.pods, question.facts.cluster))
    return {};
  const pairs = Object.entries(found.service.selector).map(([key, value]) => `${key}=${value}`);
  if (pairs.length === 0) return {};
  const create = `kubectl -n ${namespace} create poddisruptionbudget ${name} --selector=${pairs.join(',')} --max-unavailable=1`;
  return { commands: [create] };
}

/** The fastest check of a Network Load Balancer that keeps its meaning: every 10 s, two failures. */
function quickerCheck(service: AuditedObject, { terms, facts }: AuditQuestion): Partial<Fix> {
  const { annotations: own } = terms;
  const wanted = own && { [own.healthCheckInterval]: '10', [own.unhealthyThreshold]: '2' };
  return changeCheck(service, groupsOf(service, facts), wanted);
}

/** What a policy says to accept the loss: the only thing that can be changed in place where no load balancer could be observed. */
function acceptLoss(_: AuditedObject, __: AuditQuestion, { acceptableFor = [] }: Finding): AddedFix {
  if (acceptableFor.length === 0) return {};
  const services = acceptableFor.map((key) => `      - ${key}`);
  return {
    yaml: [
      '# of the policy: accepts that connections are lost',
      'spec:',
      '  guard:',
      '    acceptUnprotected:',
      ...services,
    ].join('\n'),
  };
}

/** A drain time for the target groups of a Service that have none. */
function letConnectionsEnd(service: AuditedObject, question: AuditQuestion): AddedFix {
  const { terms, facts } = question;
  const facing = indexOf(facts.cluster).service(`${service.namespace}/${service.name}`);
  if (facing === undefined || isUndrained(facing, terms))
    return { instead: 'Nothing sets a drain time here: SVC-015 says more.' };
  return setAttributes({ drainSeconds }, drainsNothing)(service, question);
}

/** Sets attributes of those target groups of a Service that are wrong, where something sets them. */
function setAttributes(
  wanted: WantedAttributes,
  isWrong: (group: TargetGroupFacts, question: AuditQuestion) => boolean,
  what?: string,
): (service: AuditedObject, question: AuditQuestion) => Partial<Fix> {
  return (service, question) => {
    const { terms, facts } = question;
    const wrong = groupsOf(service, facts).filter((group) => isWrong(group, question));
    const groups = wrong.filter((group) => canSet(group, terms, wanted));
    if (groups.length === 0) return {};
    return attributeFix(service, groups, terms, wanted, what);
  };
}

function groupsOf({ namespace, name }: AuditedObject, facts: AuditQuestion['facts']): readonly TargetGroupFacts[] {
  return targetGroupsOf(`${namespace}/${name}`, facts);
}
