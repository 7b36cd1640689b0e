import type { V1LifecycleHandler } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { budgetFacts } from '../../../adapters/kubernetes/map-budget.ts';
import { lifecycleOf } from '../../../adapters/kubernetes/map-lifecycle.ts';
import { podFacts } from '../../../adapters/kubernetes/map-pod.ts';
import { budget, deploymentPod } from './objects.ts';

const port = { ports: [{ containerPort: 80 }] };
const server = { name: 'server', image: 'i', ...port };
const sidecar = { name: 'sidecar', image: 'i' };

describe('the lifecycle of a pod', () => {
  it('names the containers that serve: those with ports, or all', () => {
    expect(lifecycleOf({ containers: [sidecar, server] }).lifecycle?.containers).toEqual(['server']);
    expect(lifecycleOf({ containers: [sidecar] }).lifecycle?.containers).toEqual(['sidecar']);
    expect(lifecycleOf(undefined)).toEqual({});
  });

  it('has the readiness probe that fails first, with the defaults of Kubernetes', () => {
    const probed = { ...server, readinessProbe: {} };
    const eager = { ...sidecar, readinessProbe: { periodSeconds: 5, failureThreshold: 2 } };
    const byDefault = { container: 'server', periodSeconds: 10, failureThreshold: 3 };
    expect(lifecycleOf({ containers: [probed] }).lifecycle?.readiness).toEqual(byDefault);
    expect(lifecycleOf({ containers: [probed, eager] }).lifecycle?.readiness).toMatchObject({ container: 'sidecar' });
    expect(lifecycleOf({ containers: [server] }).lifecycle?.readiness).toBeUndefined();
  });

  it('has the delay of that probe, and the path of a liveness probe of the containers that serve', () => {
    const probed = { ...server, readinessProbe: { initialDelaySeconds: 20 } };
    expect(lifecycleOf({ containers: [probed] }).lifecycle?.readiness?.initialDelaySeconds).toBe(20);
    const alive = { ...server, livenessProbe: { httpGet: { path: '/healthz', port: 10256 } } };
    expect(lifecycleOf({ containers: [alive] }).lifecycle?.liveness).toEqual({ container: 'server', path: '/healthz' });
    expect(
      lifecycleOf({ containers: [{ ...alive, livenessProbe: { tcpSocket: { port: 80 } } }] }).lifecycle,
    ).not.toHaveProperty('liveness');
  });

  it('has the readiness gates, and the preStop hooks of all containers with their handlers', () => {
    const hooked = (name: string, preStop: V1LifecycleHandler) => ({ ...server, name, lifecycle: { preStop } });
    const containers = [
      hooked('shell', { exec: { command: ['sh', '-c', 'sleep 20'] } }),
      hooked('asleep', { sleep: { seconds: 20 } }),
      hooked('told', { httpGet: { path: '/stop', port: 80 } }),
      hooked('called', { tcpSocket: { port: 80 } }),
      { ...sidecar, lifecycle: { preStop: { exec: {} } } },
      server,
    ];
    expect(lifecycleOf({ containers, readinessGates: [{ conditionType: 'lb' }] }).lifecycle).toMatchObject({
      readinessGates: ['lb'],
      preStops: {
        shell: { handler: 'exec', command: 'sh -c sleep 20' },
        asleep: { handler: 'sleep', seconds: 20 },
        told: { handler: 'httpGet' },
        called: { handler: 'tcpSocket' },
        sidecar: { handler: 'exec', command: '' },
      },
    });
    expect(lifecycleOf({ containers: [server] }).lifecycle).not.toHaveProperty('preStops');
  });
});

it('a budget says whether it lets pods that are not ready be evicted', () => {
  const withPolicy = (unhealthyPodEvictionPolicy: string) =>
    budgetFacts({ ...budget, spec: { ...budget.spec, unhealthyPodEvictionPolicy } }).facts.evictsUnready;
  expect(withPolicy('AlwaysAllow')).toBe(true);
  expect(withPolicy('IfHealthyBudget')).toBeUndefined();
});

it('a pod says why its open readiness gates were opened', () => {
  const gate = 'cloud.google.com/load-balancer-neg-ready';
  const gatedBy = (status: string, conditionType = gate) => {
    const conditions = [{ type: gate, status, reason: 'LoadBalancerNegTimeout' }];
    const spec = { containers: [server], readinessGates: [{ conditionType }] };
    return podFacts({ metadata: deploymentPod.metadata, spec, status: { conditions } }).gatesOpenedBy;
  };
  expect(gatedBy('True')).toEqual({ [gate]: 'LoadBalancerNegTimeout' });
  expect(gatedBy('False')).toBeUndefined();
  expect(gatedBy('True', 'another')).toBeUndefined();
});
