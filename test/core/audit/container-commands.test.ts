import type { V1Container } from '@kubernetes/client-node';
import { describe, expect, test } from 'vitest';
import { lifecycleOf } from '../../../adapters/kubernetes/map-lifecycle.ts';
import { podFacts } from '../../../adapters/kubernetes/map-pod.ts';
import { deploymentFacts } from '../../../adapters/kubernetes/map-workload.ts';
import type { AuditFinding } from '../../../core/audit/audit.ts';
import { auditOf, webPods } from '../support/audited-cluster.ts';

/** A container that is ready while it answers. */
function container(name: string, changes: Partial<V1Container> = {}): V1Container {
  const readinessProbe = { periodSeconds: 10, failureThreshold: 4 };
  return { name, ports: [{ containerPort: 80 }], readinessProbe, ...changes };
}

const server = container('server');
/** As Linkerd adds it: first, and serving. */
const proxy = container('proxy', { readinessProbe: { periodSeconds: 5, failureThreshold: 2 } });

/** What is found of pods with these containers, whose workload has those of them that no webhook has added. */
function findingsOf(containers: readonly V1Container[], grace = 30): readonly AuditFinding[] {
  const spec = { containers: [...containers], terminationGracePeriodSeconds: grace };
  const template = { spec: { containers: containers.filter(({ name }) => name !== 'proxy') } };
  const metadata = { namespace: 'default', name: 'web' };
  const { preStopSeconds, terminationGracePeriodSeconds } = podFacts({ spec });
  const pods = webPods({ preStopSeconds, terminationGracePeriodSeconds, ...lifecycleOf(spec) });
  const workload = deploymentFacts({ metadata, spec: { replicas: 4, selector: {}, template } });
  return auditOf({ pods, cluster: { workloads: [workload] } }).findings;
}

interface Patch {
  readonly spec: { readonly template: { readonly spec: PodPatch } };
}

interface PodPatch {
  readonly terminationGracePeriodSeconds?: number;
  readonly containers?: readonly V1Container[];
}

/** The fix of one rule: its text, and what its command changes of the pods. */
function fixOf(rule: string, findings: readonly AuditFinding[]): { text: string; pods: PodPatch | undefined } {
  const fix = findings.find((finding) => finding.rule === rule)?.fix;
  const [, patch] = /-p '(.*)'$/.exec(fix?.commands?.[0] ?? '') ?? [];
  const pods = patch === undefined ? undefined : (JSON.parse(patch) as Patch).spec.template.spec;
  return { text: fix?.text ?? '', pods };
}

const sleeping = (name: string) => ({ name, lifecycle: { preStop: { sleep: { seconds: 75 } } } });

describe('a preStop sleep', () => {
  test('is given to each container that serves', () => {
    const { pods } = fixOf('WKL-033', findingsOf([server, container('metrics'), container('job', { ports: [] })]));
    expect(pods).toEqual({
      terminationGracePeriodSeconds: 105,
      containers: [sleeping('server'), sleeping('metrics')],
    });
  });

  test('is not given to a container that the template does not have', () => {
    const { pods, text } = fixOf('WKL-033', findingsOf([proxy, server]));
    expect(pods?.containers).toEqual([sleeping('server')]);
    expect(text).toContain('The template of Deployment default/web has no container proxy');
  });

  test('is given to a container without ports where only an added one has some', () => {
    const { pods } = fixOf('WKL-033', findingsOf([container('server', { ports: [] }), proxy]));
    expect(pods?.containers).toEqual([sleeping('server')]);
  });

  test.each([
    ['httpGet', { httpGet: { port: 80, path: '/stop' } }],
    ['tcpSocket', { tcpSocket: { port: 80 } }],
    ['exec', { exec: { command: ['stop'] } }],
  ])('takes the place of a hook with handler %s: a hook has one', (handler, preStop) => {
    const { pods } = fixOf('WKL-033', findingsOf([container('server', { lifecycle: { preStop } })]));
    expect(pods?.containers?.[0]?.lifecycle).toEqual({ preStop: { [handler]: null, sleep: { seconds: 75 } } });
  });

  test('does not raise the grace period once it is there, while another container still stops early', () => {
    const hooked = container('server', { lifecycle: { preStop: { sleep: { seconds: 75 } } } });
    const injected = fixOf('WKL-033', findingsOf([proxy, hooked], 105));
    expect(injected).toEqual({ text: expect.stringContaining('no container proxy'), pods: undefined });
    const { pods } = fixOf('WKL-033', findingsOf([hooked, container('metrics')], 105));
    expect(pods).toEqual({ terminationGracePeriodSeconds: 105, containers: [sleeping('metrics')] });
  });

  test('takes the place of the hook that stops the server, in the container that has it', () => {
    const quitting = container('nginx', { lifecycle: { preStop: { exec: { command: ['nginx', '-s', 'quit'] } } } });
    const { pods } = fixOf('WKL-012', findingsOf([server, quitting]));
    expect(pods?.containers).toEqual([
      { name: 'nginx', lifecycle: { preStop: { exec: null, sleep: { seconds: 75 } } } },
    ]);
  });
});

test('the readiness probe of a container is changed only if the template has it', () => {
  const own = fixOf('WKL-009', findingsOf([container('server', { readinessProbe: { failureThreshold: 1 } })]));
  expect(own.pods?.containers).toEqual([{ name: 'server', readinessProbe: { failureThreshold: 4 } }]);
  const added = fixOf('WKL-009', findingsOf([proxy, server]));
  expect(added).toEqual({ text: expect.stringContaining('has no container proxy'), pods: undefined });
});
