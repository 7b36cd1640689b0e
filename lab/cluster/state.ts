/** Where a running lab keeps its files. `lab down` removes everything below. */
import { join } from 'node:path';
import { LAB_NAME } from '../which.ts';

/** Root of all files of a running lab. */
export const STATE_DIR = `/run/${LAB_NAME}`;

/** Name of the lab's control group under every controller. */
export const CGROUP = LAB_NAME;

/** Lists the folders outside of it that any lab has made as mount points. The last lab to end removes them. */
export const CREATED_FOLDERS = '/run/nodeferry-created-folders';

/** Files and folders that exist once per lab. */
export const STATE = {
  logs: join(STATE_DIR, 'log'),
  pki: join(STATE_DIR, 'pki'),
  etcd: join(STATE_DIR, 'etcd'),
  images: join(STATE_DIR, 'images'),
  nodes: join(STATE_DIR, 'nodes'),
  /** Shared with pods through hostPath volumes: what they write here survives their node. */
  shared: join(STATE_DIR, 'shared'),
  /** Mounted over /etc/hosts for processes in the client and operations namespaces. */
  hosts: join(STATE_DIR, 'hosts'),
  kubeconfig: join(STATE_DIR, 'kubeconfig'),
  kubeconfigInside: join(STATE_DIR, 'kubeconfig-inside'),
  apiServerSocket: join(STATE_DIR, 'apiserver.sock'),
  awsSocket: join(STATE_DIR, 'aws.sock'),
  computeSocket: join(STATE_DIR, 'compute.sock'),
  metadataSocket: join(STATE_DIR, 'metadata.sock'),
  gkeSocket: join(STATE_DIR, 'gke.sock'),
  temporalSocket: join(STATE_DIR, 'temporal.sock'),
} as const;

/** The log file of a process of the lab. */
export function logFile(name: string): string {
  return join(STATE.logs, `${name}.log`);
}
