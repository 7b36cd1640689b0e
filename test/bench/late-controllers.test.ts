import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { refuseOnAws, refuseOnGoogle, startLateControllers } from '../../bench/balancers/late-controllers.ts';
import type { NodeStatus } from '../../core/status/status.ts';
import * as aws from '../../lab/aws/faults.ts';
import * as google from '../../lab/gcp/faults.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const node: NodeStatus = {
  node: { name: 'n1', uid: 'u1', instanceId: 'i-1', zone: 'a' },
  step: 'replacing',
  waiting: undefined,
  evidence: [],
};
const excluded: NodeStatus = { ...node, step: 'deregistering', evidence: [{ kind: 'excluded', at: 1, detail: '' }] };

test('controllers are late from the start until a minute after the first node was excluded', () => {
  const allow = vi.fn();
  const late = startLateControllers(() => allow);
  late.onStatus({ nodes: [node] });
  vi.advanceTimersByTime(600_000);
  expect(allow).not.toHaveBeenCalled();
  late.onStatus({ nodes: [node, excluded] });
  vi.advanceTimersByTime(59_000);
  late.onStatus({ nodes: [excluded, excluded] });
  expect(allow).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect(allow).toHaveBeenCalledTimes(1);
});

test('controllers are late no longer once the run has ended', () => {
  const allow = vi.fn();
  const late = startLateControllers(() => allow);
  late.onStatus({ nodes: [excluded] });
  late.end();
  expect(allow).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(600_000);
  expect(allow).toHaveBeenCalledTimes(1);
});

test.each([
  'targetPools.removeInstance',
  'instanceGroups.removeInstances',
  'networkEndpointGroups.detachNetworkEndpoints',
])('Google refuses %s each time, until it is allowed, and nothing else', (method) => {
  const state = google.noFaults();
  const allow = refuseOnGoogle({ faults: google.faultControls(state) });
  for (let call = 0; call < 100; call++) expect(google.takeFault(state, 'compute', method)).toBe('unavailable');
  expect(google.takeFault(state, 'compute', 'networkEndpointGroups.attachNetworkEndpoints')).toBeUndefined();
  allow();
  expect(google.takeFault(state, 'compute', method)).toBeUndefined();
});

test('AWS refuses to deregister targets, until it is allowed, and nothing else', () => {
  const state = aws.noFaults();
  const allow = refuseOnAws({ faults: aws.faultControls(state) });
  const refused = (action: string) =>
    aws.injectedError(state, () => 0.99, { service: 'elbv2', action, userAgent: '' }) !== undefined;
  expect([refused('DeregisterTargets'), refused('RegisterTargets')]).toEqual([true, false]);
  allow();
  expect(refused('DeregisterTargets')).toBe(false);
});
