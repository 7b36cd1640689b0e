import { describe, expect, test } from 'vitest';
import { elbTerms } from '../../adapters/elb/cloud-terms.ts';
import { NodeferryError } from '../../core/model/problem.ts';
import { drainPolicy } from '../../core/policy/drain-policy.ts';
import { observeAndAudit } from '../../operations/observe-and-audit.ts';
import type { LoadBalancers } from '../../ports/load-balancers.ts';
import { aCluster, aGroup, aNode, aPod, aPolicy, aService } from '../core/support/facts.ts';

const node = aNode('n1');
const pod = aPod('web-1', 'n1');
const services = [aService('web', [pod]), aService('other', [])];
const cluster = aCluster({ nodes: [node], pods: [pod], services });
const clock = { now: () => 0, sleep: async () => undefined };
const denied = new NodeferryError({ code: 'Forbidden', message: 'not allowed to describe load balancers' });

function audit(loadBalancers: LoadBalancers | NodeferryError['problem'], service?: string) {
  const observer = { observe: async () => cluster, readVolumeClaims: async () => [], findLeftovers: async () => [] };
  const drain = { pool: 'all', terminate: false, deleteEmptyDirData: false, force: false };
  return observeAndAudit(
    { clock, cluster: observer, openBalancers: () => loadBalancers, termsFor: () => elbTerms },
    {
      choose: ({ nodes }) => nodes,
      hasPolicy: false,
      policyFor: (nodes) => drainPolicy(aPolicy(), { ...drain, nodes }),
      ...(service === undefined ? {} : { service }),
    },
  );
}

const readable: LoadBalancers = {
  discover: async () => ({ groups: [aGroup('web', [node])], unsupported: [] }),
  readTargets: async (groups) => groups.map((group) => ({ ...group, targets: [] })),
};

describe('an audit', () => {
  test('reads the load balancers too', async () => {
    const { findings, unread } = await audit(readable);

    expect(findings.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['SVC-001', 'SVC-009', 'WKL-033']));
    expect(unread).toEqual([]);
  });

  test.each([
    ['there is no access to the cloud', denied.problem],
    ['nothing can be discovered', { ...readable, discover: async () => await Promise.reject(denied) }],
    ['targets cannot be read', { ...readable, readTargets: async () => await Promise.reject(denied) }],
  ])('is about the Kubernetes part when %s, and says what is missing', async (_, loadBalancers) => {
    const { findings, unread } = await audit(loadBalancers);

    expect(unread).toEqual([
      { what: 'load balancers', problem: denied.problem, rules: expect.arrayContaining(['SVC-009', 'SVC-020']) },
    ]);
    const found = findings.map(({ rule }) => rule);
    expect(found).toEqual(expect.arrayContaining(['SVC-001', 'WKL-001']));
    expect(found.filter((rule) => unread[0]?.rules.includes(rule))).toEqual([]);
  });

  test('of one Service leaves out what has nothing to do with it', async () => {
    const { findings } = await audit(denied.problem, 'default/other');

    expect(
      findings.map(({ object }) => `${object.kind} ${object.name}`).filter((name) => name.includes('web')),
    ).toEqual([]);
    expect((await audit(denied.problem, 'default/web')).findings.map(({ rule }) => rule)).toContain('SVC-001');
  });

  test('fails when the load balancer port has a defect, and does not call that unread', async () => {
    const broken = { ...readable, discover: async () => await Promise.reject(new TypeError('a defect')) };

    await expect(audit(broken)).rejects.toThrow('a defect');
  });
});
