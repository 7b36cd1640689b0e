import { describe, expect, it } from 'vitest';

import { type ApiAnswer, answerError, denialOf, transportError } from '../../../adapters/kubernetes/errors.ts';
import { readEvictionAnswer } from '../../../adapters/kubernetes/eviction.ts';
import { leaseName } from '../../../adapters/kubernetes/lease-lock.ts';

const pod = { namespace: 'shop', name: 'web-1', uid: 'u' };

function answer(status: number, body: object, headers: Record<string, string> = {}): ApiAnswer {
  return { status, headers, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, ...body } };
}

describe('an answer to an eviction', () => {
  const read = (status: number, body: object, headers?: Record<string, string>) =>
    readEvictionAnswer(answer(status, body, headers), pod);

  it('is blocked by a budget only when that is the cause', () => {
    const message = "Cannot evict pod as it would violate the pod's disruption budget.";
    const cause = 'The disruption budget web needs 3 healthy pods and has 3 currently';
    const details = { causes: [{ reason: 'DisruptionBudget', message: cause }] };
    expect(read(429, { message, reason: 'TooManyRequests', details })).toEqual({
      outcome: 'blocked-by-budget',
      message: cause,
      retryAfterMs: 5_000,
    });
    expect(
      read(429, { message, details: { ...details, retryAfterSeconds: 10 } }, { 'retry-after': '10' }),
    ).toMatchObject({
      outcome: 'blocked-by-budget',
      retryAfterMs: 10_000,
    });
  });

  it('is to be repeated when the API server itself is too busy', () => {
    const body = { message: 'Too many requests, please try again later.', reason: 'TooManyRequests' };
    expect(read(429, body, { 'retry-after': '1' })).toEqual({
      outcome: 'retry',
      message: body.message,
      retryAfterMs: 1_000,
    });
  });

  it('is impossible for good when two budgets cover the pod', () => {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    expect(read(500, { message })).toEqual({ outcome: 'impossible', message: `shop/web-1: ${message}` });
  });

  it('is to be repeated after a conflict over the budget, a timeout or an internal error', () => {
    for (const status of [500, 502, 503, 504])
      expect(read(status, { message: 'busy' })).toMatchObject({ outcome: 'retry' });
    const conflict = 'Operation cannot be fulfilled on poddisruptionbudgets "web": the object has been modified';
    expect(read(409, { message: conflict })).toMatchObject({ outcome: 'retry' });
  });

  it('is gone when the pod is not there or another has its name', () => {
    expect(read(404, { message: 'pods "web-1" not found' })).toEqual({ outcome: 'gone' });
    const message = 'Precondition failed: UID in precondition: u, UID in object meta: v';
    expect(read(409, { message })).toEqual({ outcome: 'gone' });
  });

  it.each([400, 403, 422])('is to be repeated when admission denies it with %i', (status) => {
    const message = `pods "web-1" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied the request: not now`;
    expect(read(status, { message })).toEqual({ outcome: 'retry', message, retryAfterMs: 30_000 });
  });

  it('is an error when the API server finds the request itself invalid', () => {
    expect(() => read(422, { message: 'Eviction.policy "web-1" is invalid: deleteOptions' })).toThrow('(422)');
  });

  it('tells a budget that makes no sense from a role that lacks the rule', () => {
    const negative = {
      message: 'pdb disruptions allowed is negative',
      details: { kind: 'poddisruptionbudget', name: 'web' },
    };
    expect(read(403, negative)).toMatchObject({ outcome: 'retry', retryAfterMs: 30_000 });
    const role = {
      message: 'pods "web-1" is forbidden: User "x" cannot create resource "pods/eviction"',
      details: { kind: 'pods' },
    };
    expect(() => read(403, role)).toThrow('Not allowed to create pods/eviction');
  });
});

describe('an answer that nobody can use', () => {
  const list = { resource: 'nodes', verb: 'list' } as const;

  it('names the rule that is missing', () => {
    const { problem } = answerError(answer(403, { message: 'no' }), { resource: 'leases', verb: 'create' });
    expect(problem).toMatchObject({
      code: 'Forbidden',
      message: 'Not allowed to create leases: no',
      hint: expect.stringMatching(/Role \(deploy\/rbac\): .*"coordination.k8s.io".*"leases".*"create"/),
    });
  });

  it('that admission gave is no matter of our role', () => {
    const webhook = 'admission webhook "validate.kyverno.svc-fail" denied the request: bare pods are not allowed';
    const { problem } = answerError(answer(403, { message: webhook }), { resource: 'pods', verb: 'patch' });
    expect(problem.message).toBe(`The cluster's admission does not let us patch pods: ${webhook}`);
    expect(problem.hint).not.toContain('deploy/rbac');
  });

  it.each([
    [400, 'admission webhook "one" denied the request: no', true],
    [400, 'admission webhook "one" does not support dry run', false],
    [403, `ValidatingAdmissionPolicy 'one' with binding 'one' denied request: pods need an owner`, true],
    [403, 'pods "web-1" is forbidden: violates PodSecurity "baseline:latest"', true],
    [403, 'pods "web-1" is forbidden: User "nodeferry" cannot patch resource "pods" in API group ""', false],
    [422, `Pod "web-1" is invalid: ValidatingAdmissionPolicy 'one' denied request: no`, true],
    [422, 'Pod "web-1" is invalid: spec: Forbidden: pod updates may not change fields', false],
    [500, 'admission webhook "one" denied the request: context deadline exceeded', true],
    [500, 'Internal error occurred: failed calling webhook "one": no endpoints available', true],
    [500, 'etcdserver: request timed out', false],
  ])('with %i and “%s” was given by admission: %s', (status, message, expected) => {
    expect(denialOf(answer(status, { message }))).toBe(expected ? message : undefined);
  });

  it('becomes the code that says who has to act', () => {
    const code = (status: number) => answerError(answer(status, { message: 'm' }), list).problem.code;
    expect([401, 409, 429, 500, 503, 422].map(code)).toEqual([
      'Forbidden',
      'Conflict',
      'Throttled',
      'ClusterUnreachable',
      'ClusterUnreachable',
      'Internal',
    ]);
  });

  it('passes on how long to wait', () => {
    expect(answerError(answer(429, { message: 'm' }, { 'retry-after': '7' }), list).retryAfterMs).toBe(7_000);
    expect(answerError(answer(429, { message: 'm' }), list).retryAfterMs).toBeUndefined();
  });

  it('may be a text that is no JSON', () => {
    expect(answerError({ status: 502, headers: {}, body: '<html>bad gateway</html>' }, list).problem).toMatchObject({
      code: 'ClusterUnreachable',
      message: expect.stringContaining('bad gateway'),
    });
  });

  it('names the innermost reason when there was no answer at all', () => {
    const refused = new AggregateError([new Error('connect ECONNREFUSED 127.0.0.1:6443')]);
    const { problem } = transportError(new TypeError('fetch failed', { cause: refused }), list);
    expect(problem.message).toContain('connect ECONNREFUSED 127.0.0.1:6443 (list nodes)');
    const late = new TypeError('fetch failed', { cause: new DOMException('late', 'TimeoutError') });
    expect(transportError(late, list).problem.message).toContain('no answer in time to list nodes');
  });
});

describe('the name of a Lease', () => {
  it('stays as it is when a Lease may have it', () => {
    expect(leaseName('nodeferry-prod-web')).toBe('nodeferry-prod-web');
  });

  it('is made fit otherwise, and stays different for different names', () => {
    const names = ['nodeferry-prod-Web', 'nodeferry-prod-WEB', 'nodeferry-prod_web', `nodeferry-${'x'.repeat(300)}`];
    const fit = names.map(leaseName);
    expect(new Set(fit).size).toBe(names.length);
    for (const name of fit) {
      expect(name).toMatch(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/);
      expect(name.length).toBeLessThanOrEqual(253);
    }
  });
});
