import { expect, test } from 'vitest';
import type { EndpointFacts } from '../../../core/model/service.ts';
import { decideReplacementsServing, snapshotEndpoints } from '../../../core/waits/replacements.ts';
import {
  aGroup,
  aNode,
  anObservation,
  aPod,
  aPolicy,
  aService,
  aTarget,
  aWorkload,
  endpointOf,
  nodeRefOf,
  released,
} from '../support/facts.ts';
import type { PodFacts } from '../support/model.ts';

const n1 = aNode('n1', { excluded: true });
const n2 = aNode('n2');
const fresh = aNode('new', { pool: 'web-1-34' });

interface Options {
  readonly newState?: 'healthy' | 'initial';
  /** What the workload is scaled to. */
  readonly replicas?: number;
  readonly policy?: 'Local' | 'Cluster';
  /** Endpoints of the slices, when they lag behind the pods. */
  readonly listed?: readonly EndpointFacts[];
}

function observation(pods: readonly PodFacts[], options: Options = {}) {
  const { newState = 'healthy', replicas = 2, policy = 'Local', listed = aService('web', pods).endpoints } = options;
  const targets = [aTarget(n2), aTarget(fresh, { state: newState })];
  const services = [aService('web', pods, { externalTrafficPolicy: policy, endpoints: listed })];
  return anObservation({ nodes: [n1, n2, fresh], pods, services, workloads: [aWorkload('web', replicas)] }, [
    aGroup('web', [], { targets }),
  ]);
}

const stay = aPod('web-2', 'n2');
const policy = aPolicy({ target: { ...aPolicy().target, poolName: 'web-1-34' } });
const question = {
  policy,
  before: { 'default/web': 2 },
  leaving: new Set([n1, n2].map(({ uid }) => uid)),
  aside: {},
  patient: true,
};
const decide = (facts: ReturnType<typeof observation>) => {
  const { done, reason } = decideReplacementsServing({ ...question, facts });
  return { done, reason };
};

test('the snapshot counts Services that have a ready endpoint on the node, and no others', () => {
  const pods = [aPod('web-1', 'n1'), stay, aPod('api-1', 'n2')];
  const facts = anObservation({ nodes: [n1, n2], pods, services: [aService('web', pods), aService('api', pods)] });
  expect(snapshotEndpoints(nodeRefOf(n1), facts)).toEqual({ 'default/web': 2 });
});

test('the snapshot counts no released pod, and no replica that had no node at the beginning', () => {
  const left = aPod('web-1', 'n1', released('web-1', 'run'));
  const pods = [left, stay, aPod('web-3', 'new')];
  const facts = observation(pods, { replicas: 3 });
  expect(snapshotEndpoints(nodeRefOf(n1), facts)).toEqual({ 'default/web': 2 });
  const whole = observation([aPod('web-1', 'n1'), stay, aPod('web-3', 'new')], { replicas: 3 });
  const unplaced = { 'Deployment default/web': 1 };
  expect(snapshotEndpoints(nodeRefOf(n1), whole, unplaced)).toEqual({ 'default/web': 2 });
  expect(snapshotEndpoints(nodeRefOf(n1), whole)).toEqual({ 'default/web': 3 });
});

test('replacements serve once they are Ready and their node is healthy in the load balancer', () => {
  expect(decide(observation([stay, aPod('web-3', 'new')]))).toEqual({
    done: true,
    reason: 'default/web has 2 of 2 ready endpoints',
  });
});

test('a Ready replacement does not serve while its node is not healthy with policy Local', () => {
  const late = (policy: 'Local' | 'Cluster') =>
    observation([stay, aPod('web-3', 'new')], { newState: 'initial', policy });
  expect(decide(late('Local'))).toEqual({
    done: false,
    reason: 'default/web: new not healthy in its load balancer yet',
  });
  expect(decide(late('Cluster')).done).toBe(true);
});

test('nodes of the old pool that host replacements must be healthy too, unless they are leaving', () => {
  const decideWith = (cordoned: boolean) => {
    const kept = aNode('n2', { cordoned });
    const pods = [stay, aPod('web-3', 'new')];
    const cluster = { pods, services: [aService('web', pods)], workloads: [aWorkload('web', 2)] };
    const targets = [aTarget(kept, { state: 'initial' }), aTarget(fresh)];
    return decide(anObservation({ nodes: [n1, kept, fresh], ...cluster }, [aGroup('web', [], { targets })]));
  };
  expect(decideWith(false)).toEqual({ done: false, reason: 'default/web: n2 not healthy in its load balancer yet' });
  expect(decideWith(true).done).toBe(true);
});

test('the wait lasts while there are fewer ready endpoints than before, and names a pod that cannot be scheduled', () => {
  const pending = aPod('web-3', undefined, { ready: false, phase: 'Pending', unschedulableReason: 'Insufficient cpu' });
  expect(decide(observation([stay, pending]))).toEqual({
    done: false,
    reason: 'default/web has 1 of 2 ready endpoints; pod web-3 cannot be scheduled: Insufficient cpu',
  });
});

test.each([
  ['was told to stop', [stay, aPod('web-3', 'new', { terminating: true })]],
  ['is gone', [stay]],
])('a replacement that %s does not serve, though the slices list it as ready', (_, pods) => {
  const listed = [stay, aPod('web-3', 'new')].map(endpointOf);
  expect(decide(observation(pods, { listed }))).toEqual({
    done: false,
    reason: 'default/web has 1 of 2 ready endpoints; 1 pod not created yet',
  });
});

test.each<[string, Partial<PodFacts>, string]>([
  ['is not ready', { ready: false }, 'not ready: web-3 on new'],
  [
    'waits for a readiness gate',
    { ready: false, closedGate: 'example.com/gate' },
    'not ready: web-3 on new (readiness gate example.com/gate)',
  ],
  ['has no node', { ready: false, node: undefined, phase: 'Pending' }, 'not ready: web-3 (not scheduled)'],
  [
    'is not listed by the slices',
    {},
    'ready, but not listed as endpoints: web-3 on new (retried at once after kubectl annotate --overwrite -n default service web tried="$(date)")',
  ],
])('a replacement that %s is named', (_, fields, named) => {
  const facts = observation([stay, aPod('web-3', 'new', fields)], { listed: [endpointOf(stay)] });
  expect(decide(facts)).toEqual({ done: false, reason: `default/web has 1 of 2 ready endpoints; ${named}` });
});

test('a replacement that became unready last is named first', () => {
  const standby = aPod('web-0', 'n2', { ready: false, unreadySince: 1_000 });
  const late = aPod('web-3', 'new', { ready: false, unreadySince: 2_000 });
  expect(decide(observation([standby, stay, late])).reason).toMatch(/not ready: web-3 on new, web-0 on n2$/);
});

test('a workload that was scaled down meanwhile needs only its new scale', () => {
  expect(decide(observation([stay], { replicas: 1 })).done).toBe(true);
  expect(decide(observation([], { replicas: 0 })).done).toBe(true);
  expect(decide(observation([stay], { replicas: 2 })).done).toBe(false);
});

test('a workload that was scaled up meanwhile needs only its old scale', () => {
  expect(decide(observation([stay, aPod('web-3', 'new')], { replicas: 12 })).done).toBe(true);
});

test('a Service whose selector matches nothing any more needs as many endpoints as before', () => {
  const facts = anObservation({
    nodes: [n2],
    pods: [stay],
    services: [aService('web', [], { selector: { app: 'wbe' } })],
  });
  expect(decide(facts).done).toBe(false);
});

test('a Service that is gone, or had nothing on the node, is not waited for', () => {
  expect(decideReplacementsServing({ ...question, facts: observation([]), before: {} }).done).toBe(true);
  expect(decide(anObservation({})).done).toBe(true);
});
