import { expect, test } from 'vitest';
import { objectOfSubject } from '../../../core/audit/objects.ts';
import { formatObject } from '../../../core/audit/rule.ts';
import { aCluster, aPod } from '../support/facts.ts';

const cluster = aCluster({
  pods: [
    aPod('web-1', 'n1'),
    aPod('lone-1', 'n1', { ownerKind: 'none', ownerName: '' }),
    aPod('game-1', 'n1', { ownerKind: 'other', ownerName: 'game' }),
  ].map((pod) => (pod.ownerKind === 'ReplicaSet' ? pod : { ...pod, workload: undefined as never })),
});

test.each([
  ['service default/web', 'Service default/web'],
  ['pdb default/web', 'PodDisruptionBudget default/web'],
  ['node n1, n2 and 4 more', 'Node n1, n2 and 4 more'],
  ['pod default/web-1', 'Deployment default/web'],
  ['pod default/lone-1', 'Pod default/lone-1'],
  ['pod default/game-1', 'Controller default/game'],
  ['4 pods of Deployment default/web (default/web-1, default/web-2)', 'Deployment default/web'],
  ['2 pods of namespace default (default/a, default/b)', 'Pod default/a, b'],
  ['daemonset kube-system/agent', 'DaemonSet kube-system/agent'],
  ['static pod kube-system/proxy', 'Pod kube-system/proxy'],
  ['StatefulSet default/db', 'StatefulSet default/db'],
  ['networkpolicies.networking.k8s.io', 'Resource networkpolicies.networking.k8s.io'],
])('%s is %s', (subject, object) => {
  expect(formatObject(objectOfSubject(subject, cluster))).toBe(object);
});
