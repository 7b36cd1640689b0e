import { expect, test } from 'vitest';
import type { Fix } from '../../../core/audit/fix.ts';
import type { ClusterFacts } from '../../../core/model/serving.ts';
import { auditOf, patient } from '../support/audited-cluster.ts';
import { aPod, aWorkload } from '../support/facts.ts';

/** What to do about a Service with one pod. */
function fixFor(pod: Partial<ReturnType<typeof aPod>>, cluster: Partial<ClusterFacts> = {}): Fix | undefined {
  const only = aPod('web-1', 'n1', { ...patient, ...pod });
  const workloads = [aWorkload('web', 1, only.workload === undefined ? {} : { key: only.workload, mayLack: 1 })];
  const { findings } = auditOf({ pods: [only], cluster: { workloads, ...cluster } });
  return findings.find(({ rule }) => rule === 'WKL-001')?.fix;
}

test('a Deployment with one pod gets a second one', () => {
  expect(fixFor({})).toEqual({
    text: 'Run at least two replicas.',
    commands: ['kubectl -n default scale deployment web --replicas=2'],
  });
});

test.each([
  [
    'a StatefulSet',
    { ownerKind: 'StatefulSet', ownerName: 'web', workload: 'StatefulSet default/web' },
    {},
    'replicate',
  ],
  ['a Deployment with a volume', { volumeClaims: ['data'] }, {}, 'claim data'],
  ['a Deployment that is scaled for it', {}, { autoscaled: ['Deployment default/web'] }, 'minReplicas'],
] as const)('%s gets none by a command', (_, pod, cluster, says) => {
  expect(fixFor(pod, cluster)).toEqual({ text: expect.stringContaining(says) });
});

test('the strategy of a Deployment with a volume is not changed: a new pod would wait for the volume of the old one', () => {
  const strategyOf = (pod: object) => {
    const pods = ['n1', 'n2'].map((node, index) => aPod(`web-${index}`, node, { ...patient, ...pod }));
    const { findings } = auditOf({ pods, cluster: { workloads: [aWorkload('web', 2, { mayLack: 2 })] } });
    return findings.find(({ rule }) => rule === 'WKL-020')?.fix;
  };
  expect(strategyOf({})?.commands).toEqual([expect.stringContaining('"maxUnavailable":0')]);
  expect(strategyOf({ volumeClaims: ['data'] })).toEqual({ text: expect.stringContaining('claim data') });
});
