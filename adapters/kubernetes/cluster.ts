import type { NodeferryError } from '../../core/model/problem.ts';
import type { Cluster } from '../../ports/cluster/cluster.ts';
import type { NodeActions } from '../../ports/cluster/node-actions.ts';
import type { PodActions } from '../../ports/cluster/pod-actions.ts';
import type { Timings } from '../../ports/timings.ts';
import { type CloudWords, createCaches } from './caches.ts';
import { defaultFreshness, type FreshnessTiming } from './catch-up.ts';
import type { ChangeAccess } from './change.ts';
import { clusterUid } from './cluster-uid.ts';
import { type ConnectionOptions, openConnection } from './connection.ts';
import { eventRecorder } from './events.ts';
import { evictionOperation } from './eviction.ts';
import { leaseLocks } from './lease-lock.ts';
import { leftoverOperations } from './leftovers.ts';
import { fencingOperations, nodeOperations } from './nodes.ts';
import { ownNamespace } from './own-namespace.ts';
import { ownershipOperations } from './ownership.ts';
import { findMissingPermissions } from './permissions.ts';
import { podOperations } from './pods.ts';
import { configMapTimings } from './timings.ts';
import { volumeOperation } from './volumes.ts';

/** How to reach a cluster and where to keep locks. */
export interface KubernetesOptions extends ConnectionOptions, CloudWords {
  /** Namespace of the locks. Default: `nodeferry` when that exists, else `default`. All workers must agree. */
  readonly leaseNamespace?: string;
  /** Timing of freshness checks; the default suits a real cluster. */
  readonly freshness?: Partial<FreshnessTiming>;
  /** Called for Events that could not be written. Such a failure has no other effect. */
  readonly onEventLost?: (error: NodeferryError) => void;
}

/** A cluster that holds connections open until it is closed. */
export interface KubernetesCluster extends Cluster {
  /** What earlier runs on the cluster have learned. */
  readonly timings: Timings;
  /** Version of the API server, `v1.36.1`. */
  readVersion(): Promise<string>;
  /** What a worker needs and these credentials do not allow. */
  findMissingPermissions(): Promise<readonly string[]>;
  /** Ends all watches; without it they keep the process alive. */
  close(): void;
}

/**
 * The Cluster port over the Kubernetes API. Connects at the first call and starts its caches at the first observe(). observe() shows everything that
 * was committed when it was called; see catch-up.ts for how. @throws NodeferryError ClusterUnreachable when the kubeconfig can't be used
 */
export function createKubernetesCluster(options: KubernetesOptions): KubernetesCluster {
  const connection = openConnection(options);
  const caches = createCaches(connection, { ...defaultFreshness, ...options.freshness }, options);
  const namespace = ownNamespace(connection, options.leaseNamespace);
  const { list, ...locks } = leaseLocks(connection, namespace);
  const access = { connection, caches };
  return {
    observe: () => caches.observe(),
    findClusterUid: clusterUid(connection),
    ...fencingOperations(access),
    ...actionsOf(access),
    guarded: (beforeChange) => actionsOf({ ...access, beforeChange }),
    ...volumeOperation(connection),
    ...locks,
    recordEvent: eventRecorder(connection, options.onEventLost ?? (() => undefined)),
    ...leftoverOperations(caches, { list }),
    timings: configMapTimings(connection, namespace),
    readVersion: () => connection.readVersion(),
    findMissingPermissions: () => findMissingPermissions(connection, namespace),
    close: () => {
      caches.close();
      connection.close();
    },
  };
}

function actionsOf(access: ChangeAccess): NodeActions & PodActions {
  return {
    ...nodeOperations(access),
    ...podOperations(access),
    ...ownershipOperations(access),
    ...evictionOperation(access),
  };
}
