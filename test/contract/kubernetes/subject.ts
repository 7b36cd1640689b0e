import { afterAll, beforeAll, expect } from 'vitest';
import { openCluster } from '../../../wiring/cluster.ts';
import { type ControlPlane, startControlPlane } from '../../support/control-plane.ts';
import type { ClusterSubject, NodeState } from '../cases/cluster-subject.ts';
import { createBudget, createNode, createPod, grantDeployedRoles } from './objects.ts';

/** The adapter over a real API server, as two workers have it; `close` ends their watches. */
interface RealSubject extends ClusterSubject {
  close(): void;
}

const leases = '/apis/coordination.k8s.io/v1/namespaces/nodeferry/leases';

/** What the tests of one file share. */
interface RealCluster {
  readonly controlPlane: ControlPlane;
  readonly subject: RealSubject;
}

/** Starts a control plane with the deployed roles before the tests of the file, and ends it after them. To be read within tests only. */
export function useRealCluster(options?: Parameters<typeof startControlPlane>[0]): RealCluster {
  let controlPlane: ControlPlane | undefined;
  let subject: RealSubject | undefined;
  beforeAll(async () => {
    controlPlane = await startControlPlane(options);
    grantDeployedRoles(controlPlane);
    subject = openSubject(controlPlane);
  });
  afterAll(async () => {
    subject?.close();
    await controlPlane?.stop();
  });
  return {
    get controlPlane() {
      return started(controlPlane);
    },
    get subject() {
      return started(subject);
    },
  };
}

function started<T>(one: T | undefined): T {
  if (one === undefined) throw new Error('the control plane has not been started');
  return one;
}

/** Opens it. The control plane must run the disruption controller where there are budgets. */
function openSubject(controlPlane: ControlPlane): RealSubject {
  const [one, other] = [0, 1].map(() => openCluster({ kubeconfig: controlPlane.kubeconfig('nodeferry') })) as [
    ReturnType<typeof openCluster>,
    ReturnType<typeof openCluster>,
  ];
  const holder = 'holder';
  let hasHolder = false;
  return {
    one,
    other,
    close: () => {
      one.close();
      other.close();
    },
    others: {
      addNode: async (name, { labels = {}, ...as } = {}) => {
        const set = Object.entries(labels).filter((entry): entry is [string, string] => entry[1] !== null);
        return await createNode(controlPlane, name, { labels: Object.fromEntries(set), spec: specOf(as) });
      },
      changeNode: async (name, { labels = {}, ...to }) => {
        await controlPlane.api('PATCH', `/api/v1/nodes/${name}`, { metadata: { labels }, spec: specOf(to) });
      },
      removeNode: async (name) => {
        await controlPlane.api('DELETE', `/api/v1/nodes/${name}`);
      },
      addPod: async (name, labels) => {
        if (!hasHolder) await createNode(controlPlane, holder);
        hasHolder = true;
        return await createPod(controlPlane, name, { node: holder, labels, ready: true });
      },
      labelPod: async (name, labels) => {
        await controlPlane.api('PATCH', `/api/v1/namespaces/default/pods/${name}`, { metadata: { labels } });
      },
      addBudget: async (name, minAvailable, app) => {
        await createBudget(controlPlane, name, { minAvailable }, app);
        const seen = async () => (await one.observe()).budgets.find((budget) => budget.name === name);
        await expect.poll(async () => (await seen())?.podUids.length).toBeGreaterThan(0);
        await expect.poll(async () => (await seen())?.currentHealthy).toBeGreaterThanOrEqual(Math.max(1, minAvailable));
      },
      expireLock: async (name) => {
        const renewTime = new Date(Date.now() - 60_000).toISOString().replace('Z', '000Z');
        await controlPlane.api('PATCH', `${leases}/${name}`, { spec: { renewTime, leaseDurationSeconds: 1 } });
      },
    },
  };
}

function specOf({ cordoned, taints }: Partial<NodeState>) {
  return {
    ...(cordoned === undefined ? {} : { unschedulable: cordoned ? true : null }),
    ...(taints === undefined ? {} : { taints: taints.map((key) => ({ key, effect: 'NoSchedule' })) }),
  };
}
