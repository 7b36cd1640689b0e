import type { PodFacts, ReleasedFrom } from '../../../core/model/pod.ts';
import type { Cluster } from '../../../ports/cluster/cluster.ts';

/** A cluster behind the port, with Deployments that others keep. */
export interface OwnershipSubject {
  readonly one: Cluster;
  readonly deployments: Deployments;
}

/** What people and controllers do with Deployments. No pod gets a node unless it is started here. */
export interface Deployments {
  /** A Deployment with a Service and a budget of `maxUnavailable: 0`, all its pods Ready on these nodes, in turn. */
  deploy(name: string, replicas: number, nodes: readonly string[]): Promise<void>;
  /** Its pods that wait for a node get these, in turn, and become Ready. */
  start(name: string, nodes: readonly string[]): Promise<void>;
  scale(name: string, replicas: number): Promise<void>;
  /** Gives it another template; its pods are replaced as they are started. */
  changeTemplate(name: string): Promise<void>;
  pause(name: string): Promise<void>;
  /** Deletes it with what it owns. */
  remove(name: string): Promise<void>;
  setDeletionCost(pod: string, cost: string): Promise<void>;
  deletionCostOf(pod: string): Promise<string | undefined>;
  /** Somebody sets annotations of a pod. */
  annotate(pod: string, annotations: Readonly<Record<string, string>>): Promise<void>;
  annotationsOf(pod: string): Promise<Readonly<Record<string, string>>>;
  /** From when this resolves on, nobody may take the owner of a pod of this Deployment away. */
  forbidNoOwner(name: string): Promise<void>;
  /** From when this resolves on, its namespace may have as many pods as it has now, or any number again. */
  limitPods(name: string, toThoseThere: boolean): Promise<void>;
  /** Controllers get some time. */
  passTime(): Promise<void>;
}

/** Pods of the Deployment that are not terminating, released ones included. */
export async function podsOf({ one }: OwnershipSubject, deployment: string): Promise<readonly PodFacts[]> {
  return (await one.observe()).pods.filter(({ labels, terminating }) => labels['app'] === deployment && !terminating);
}

/** What a pod of a Deployment is released from. */
export function fromOwner({ labels, ownerName, ownerUid = '', workload = '' }: PodFacts): ReleasedFrom {
  const label = 'pod-template-hash';
  return { label, value: labels[label] ?? '', replicaSet: { name: ownerName, uid: ownerUid }, workload };
}

/** The cluster as far as a Deployment goes, in few words: its pods by what has become of them, by node. */
export async function describeDeployment(subject: OwnershipSubject, name: string) {
  const { services, budgets } = await subject.one.observe();
  const pods = await podsOf(subject, name);
  const nodes = (of: readonly PodFacts[]) => of.map(({ node }) => node ?? 'pending').toSorted();
  const endpoints = services.find(({ key }) => key === `default/${name}`)?.endpoints ?? [];
  return {
    owned: nodes(pods.filter(({ ownerKind }) => ownerKind === 'ReplicaSet')),
    released: nodes(pods.filter(({ ownerKind, released }) => ownerKind === 'none' && released !== undefined)),
    ready: endpoints.filter(({ ready }) => ready).length,
    healthy: budgets.find((budget) => budget.name === name)?.currentHealthy,
    mayGo: budgets.find((budget) => budget.name === name)?.disruptionsAllowed,
  };
}

/** Asks again and again until nothing is wrong, while controllers do their work. */
export async function eventually(subject: OwnershipSubject, check: () => Promise<void>): Promise<void> {
  const until = Date.now() + 60_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > until) throw error;
      await subject.deployments.passTime();
    }
  }
}
