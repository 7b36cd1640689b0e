/** What lies about in ordinary clusters, and what their owners do at any time: each of them is brought about in the lab. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppsV1Api, CoreV1Api, KubeConfig, SchedulingV1Api, type V1Deployment } from '@kubernetes/client-node';
import { releasedAnnotation } from '../../adapters/kubernetes/ownership-marks.ts';
import type { Lab } from '../../lab/lab.ts';
import { until } from '../../lab/process.ts';
import { mergePatch } from './objects.ts';

const namespace = 'default';

/** Means to make a cluster of the lab ordinary. */
export interface OrdinaryTroubles {
  /**
   * A Failed pod of a Deployment, on a node of its pool: a kubelet refuses a pod whose node selector does not match, and such a pod lies
   * about until somebody deletes it. Resolves to its name.
   */
  readonly leaveFailedPod: (deployment: string) => Promise<string>;
  /** Resolves when the first pod of a Deployment has been released. */
  readonly released: (deployment: string) => Promise<void>;
  /**
   * Deletes a Deployment and leaves its ReplicaSets (`kubectl delete --cascade=orphan`, the documented way to change a selector), and makes
   * the same again after so long, ms.
   */
  readonly replaceDeployment: (deployment: string, awayForMs: number) => Promise<void>;
  /** Lets a Deployment have no more pods than it has, by a quota, and asks for one more. Resolves to what takes it back. */
  readonly missOneByQuota: (deployment: string) => Promise<() => Promise<void>>;
}

/** Opens the means to make a lab ordinary. */
export function openOrdinaryTroubles(lab: Lab): OrdinaryTroubles {
  const config = new KubeConfig();
  config.loadFromFile(lab.kubeconfigPath);
  const core = config.makeApiClient(CoreV1Api);
  const apps = config.makeApiClient(AppsV1Api);
  const scheduling = config.makeApiClient(SchedulingV1Api);
  const podsOf = async (app: string) =>
    (await core.listNamespacedPod({ namespace, labelSelector: `app=${app}` })).items;

  return {
    leaveFailedPod: async (deployment) => {
      const owned = (await podsOf(deployment)).find(({ metadata }) => metadata?.ownerReferences !== undefined);
      const { metadata, spec } = owned ?? {};
      if (metadata?.ownerReferences === undefined || spec === undefined) throw new Error(`${deployment} has no pod`);
      const name = `${deployment}-refused-${Date.now()}`;
      const { containers, nodeName } = spec;
      const image = containers[0]?.image ?? '';
      await core.createNamespacedPod({
        namespace,
        body: {
          metadata: { name },
          spec: {
            ...(nodeName === undefined ? {} : { nodeName }),
            nodeSelector: { nowhere: 'yes' },
            containers: [{ name: 'app', image, imagePullPolicy: 'Never' }],
          },
        },
      });
      await until(
        async () => ((await core.readNamespacedPod({ namespace, name })).status?.phase === 'Failed' ? true : undefined),
        { what: `the kubelet refuses ${name}`, timeoutMs: 60_000 },
      );
      // Only now it looks like one of the ReplicaSet, which would have deleted it as one too many while it was pending.
      const { labels = {}, ownerReferences } = metadata;
      await core.patchNamespacedPod({ namespace, name, body: { metadata: { labels, ownerReferences } } }, mergePatch);
      return name;
    },

    released: async (deployment) => {
      await until(
        async () => {
          const pods = await podsOf(deployment);
          return pods.some(({ metadata }) => metadata?.annotations?.[releasedAnnotation] !== undefined)
            ? true
            : undefined;
        },
        { what: `a pod of ${deployment} is released`, timeoutMs: 180_000 },
      );
    },

    replaceDeployment: async (name, awayForMs) => {
      const { metadata, spec } = await apps.readNamespacedDeployment({ namespace, name });
      if (spec === undefined) throw new Error(`${name} has no spec`);
      await apps.deleteNamespacedDeployment({ namespace, name, propagationPolicy: 'Orphan' });
      await until(async () => ((await isThere(apps, name)) ? undefined : true), {
        what: `Deployment ${name} is gone`,
        timeoutMs: 30_000,
      });
      await sleep(awayForMs);
      const again: V1Deployment = { metadata: { name, namespace, labels: metadata?.labels ?? {} }, spec };
      await apps.createNamespacedDeployment({ namespace, body: again });
    },

    missOneByQuota: async (name) => {
      // Quotas count the pods of a priority class, so that this one leaves other workloads alone.
      await scheduling.createPriorityClass({ body: { metadata: { name }, value: 1_000 } });
      await apps.patchNamespacedDeployment(
        { namespace, name, body: { spec: { template: { spec: { priorityClassName: name } } } } },
        mergePatch,
      );
      await until(async () => ((await isRolledOut(apps, name)) ? true : undefined), {
        what: `${name} is rolled out`,
        timeoutMs: 180_000,
      });
      const replicas = (await apps.readNamespacedDeployment({ namespace, name })).spec?.replicas ?? 0;
      await core.createNamespacedResourceQuota({
        namespace,
        body: {
          metadata: { name },
          spec: {
            hard: { pods: String(replicas) },
            scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: [name] }] },
          },
        },
      });
      const scale = (count: number) =>
        apps.patchNamespacedDeployment({ namespace, name, body: { spec: { replicas: count } } }, mergePatch);
      await scale(replicas + 1);
      await until(
        async () => {
          const { status } = await apps.readNamespacedDeployment({ namespace, name });
          return (status?.conditions ?? []).some(({ type, status: is }) => type === 'ReplicaFailure' && is === 'True')
            ? true
            : undefined;
        },
        { what: `${name} misses a pod`, timeoutMs: 60_000 },
      );
      return async () => {
        await scale(replicas);
        await core.deleteNamespacedResourceQuota({ namespace, name });
      };
    },
  };
}

async function isThere(apps: AppsV1Api, name: string): Promise<boolean> {
  const { items } = await apps.listNamespacedDeployment({ namespace, fieldSelector: `metadata.name=${name}` });
  return items.length > 0;
}

async function isRolledOut(apps: AppsV1Api, name: string): Promise<boolean> {
  const { metadata, spec, status } = await apps.readNamespacedDeployment({ namespace, name });
  const seen = (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0);
  const counts = [status?.replicas, status?.updatedReplicas, status?.availableReplicas];
  return seen && counts.every((count) => (count ?? 0) === (spec?.replicas ?? 0));
}
