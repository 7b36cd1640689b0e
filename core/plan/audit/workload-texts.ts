import type { RuleText } from './rule-text.ts';

/** The rules about workloads. */
export const workloadTexts: Readonly<Record<string, RuleText>> = {
  'WKL-001': {
    severities: ['error'],
    title: 'A Service with one ready endpoint',
    why: 'Its only ready endpoint is on a node to replace. No pod answers while that one moves.',
    fix: 'Run at least two replicas.',
  },
  'WKL-002': {
    severities: ['warning'],
    title: 'A Service without a PodDisruptionBudget',
    why: 'Without a budget others, such as an autoscaler, may evict pods of the same Service at the same time.',
    fix: 'Add a PodDisruptionBudget: other tools respect it too.',
  },
  'WKL-003': {
    severities: ['blocker'],
    title: 'A budget that never allows an eviction',
    why: 'A PodDisruptionBudget that requires every pod never allows an eviction. The run would wait there until the deadline and then stall.',
    fix: 'Let it spare at least one pod (maxUnavailable: 1). More replicas help only with a minAvailable below 100%: the finding says how many.',
  },
  'WKL-004': {
    severities: ['blocker'],
    title: 'A pod that several budgets select',
    why: 'The eviction API answers with an error for a pod that several PodDisruptionBudgets select, so it can never be evicted.',
    fix: 'Leave one PodDisruptionBudget per pod.',
  },
  'WKL-008': {
    severities: ['warning'],
    title: 'Pods that stop while they are still endpoints',
    why: 'These pods cannot be removed from their endpoints before they are told to stop, and they stop at once. Callers still send to them.',
    fix: 'Give them a preStop sleep of at least spec.waits.endpointPropagation: they then serve until every kube-proxy knows.',
  },
  'WKL-016': {
    severities: ['warning', 'info'],
    title: 'Endpoints that belong to their node',
    why: 'Pods of DaemonSets and static pods are not evicted. Their endpoints are removed before the instance ends, unless they tolerate every taint.',
    fix: 'Do not let them tolerate every taint, and give them a preStop sleep of at least spec.waits.endpointPropagation.',
  },
  'WKL-017': {
    severities: ['blocker', 'warning'],
    title: 'Pods that nothing starts again',
    why: 'A pod without a controller, or of a DaemonSet that no longer exists, is gone once it has left its node.',
    fix: 'Give it a controller, delete it, or accept its loss with spec.drain.force.',
  },
  'WKL-018': {
    severities: ['blocker', 'info'],
    title: 'Pods with emptyDir data',
    why: 'emptyDir data ends with the pod. Where no policy says whether that is acceptable, an audit only warns.',
    fix: 'Move the data to a volume, or accept its loss with spec.drain.deleteEmptyDirData.',
  },
  'WKL-019': {
    severities: ['blocker'],
    title: 'Pods that can run on the old nodes only',
    why: 'Their node selector or affinity needs labels that no new node has. Their replacements would never be scheduled.',
    fix: 'Select nodes by a label of your own that the pool carries, or allow the new pool as well; then plan again.',
  },
  'WKL-021': {
    severities: ['warning'],
    title: 'Pods that may take long to stop',
    why: 'The grace period of these pods is longer than the run waits for evictions.',
    fix: 'Raise spec.waits.deadlines.eviction.',
  },
  'WKL-025': {
    severities: ['blocker', 'warning'],
    title: 'Pods that ask not to be disrupted',
    why: 'An annotation on the pod asks not to disrupt it (safe-to-evict, do-not-disrupt). spec.drain.doNotDisrupt decides whether the run is refused, waits or evicts.',
    fix: 'Remove the annotation, or set spec.drain.doNotDisrupt to wait or evict.',
  },
  'WKL-026': {
    severities: ['warning', 'info'],
    title: 'Pods of Jobs',
    why: 'An evicted pod of a Job counts as failed, and the work starts again from the beginning.',
    fix: 'Start the run when no long Job runs, or set spec.drain.jobs to wait.',
  },
  'WKL-027': {
    severities: ['error'],
    title: 'Pods that are stuck in termination',
    why: 'These pods should have ended by now. Their node would wait for them and then stall.',
    fix: 'Find out what keeps them, for example a finalizer or an unreachable node, and fix it before the run.',
  },
  'WKL-028': {
    severities: ['warning'],
    title: 'A workload in the middle of a rollout',
    why: 'Nodes with pods of a workload that rolls out wait until that is over. If the rollout has stopped half way, its pods are moved as they are.',
    fix: 'Start the run when the rollout is over, or undo it.',
  },
  'WKL-029': {
    severities: ['blocker'],
    title: 'More pods than fit beside emptied nodes',
    why: 'The spread of the pods over hosts counts emptied nodes too. The last nodes would wait for replacements that wait for those nodes to be gone.',
    fix: 'Set nodeTaintsPolicy: Honor in the topologySpreadConstraint, or raise its maxSkew; then plan again.',
  },
  'WKL-030': {
    severities: ['warning'],
    title: 'Pods that tolerate a cordon',
    why: 'They tolerate the taint of cordoned nodes. Once evicted they may come back to the same node, again and again.',
    fix: 'Remove the toleration of node.kubernetes.io/unschedulable.',
  },
  'WKL-031': {
    severities: ['blocker'],
    title: 'Pods whose volume is on an old node',
    why: 'They cannot start on another node, and the data is lost with the instance.',
    fix: 'Have the application keep its data elsewhere too, cordon the node, and delete the PersistentVolumeClaim and the pod; then plan again.',
  },
  'WKL-032': {
    severities: ['info'],
    title: 'Pods whose replacements get other requests',
    why: 'A VerticalPodAutoscaler gives the replacements the requests that it recommends by then. They may not fit where these pods fit.',
    fix: 'Compare its recommendation with what a new node has: kubectl describe vpa',
  },
  'WKL-034': {
    severities: ['blocker', 'error'],
    title: 'Pods that stop while a load balancer sends to them',
    why: 'A load balancer sends to these pods themselves, and they cannot be removed from endpoints first. They are deregistered only once they were told to stop, and requests that arrive after they stop are lost.',
    fix: 'Give them the preStop sleep and the grace period that the finding names, or list the Service in spec.guard.acceptUnprotected: connections may be lost then.',
  },
};
