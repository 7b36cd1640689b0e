/** Audits with names as long as those of real clusters. */
import type { AuditReport } from '../../../core/audit/audit.ts';
import { auditOf, patient, webPods } from '../../core/support/audited-cluster.ts';
import { aPod, aService } from '../../core/support/facts.ts';

const dns = aPod('coredns-0', 'n3', {
  namespace: 'kube-system',
  labels: { 'k8s-app': 'kube-dns' },
  workload: 'Deployment kube-system/coredns',
});
const hasty = webPods({ preStopSeconds: 0, terminationGracePeriodSeconds: 30 });
const unprobed = hasty.map((pod) => ({ ...pod, lifecycle: { containers: ['server'] } }));
const lone = aPod('migrate-1', 'n2', { ownerKind: 'none', ownerName: '' });

/** Something of every severity, with commands and manifests. */
export const poor: AuditReport = auditOf({
  pods: [...unprobed, lone, dns],
  group: { terminatesUnhealthyConnections: true },
  cluster: {
    services: [aService('web', unprobed)],
    budgets: [],
    unread: [{ resource: 'networkpolicies.networking.k8s.io', hint: 'Add this rule to your role: list.' }],
  },
});

/** Nothing to fix. */
export const sound: AuditReport = auditOf();

/** The Kubernetes part only. */
export const withoutCloud: AuditReport = auditOf({
  pods: webPods({ ...patient, preStopSeconds: 90, terminationGracePeriodSeconds: 90 }),
  unsupported: [],
  loadBalancersUnread: {
    code: 'InvalidArgument',
    message: 'the AWS region of the cluster is not known',
    hint: 'Give --region, or set AWS_REGION, to have its load balancers audited too.',
  },
});
