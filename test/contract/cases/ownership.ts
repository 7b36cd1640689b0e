import { describe, expect, it } from 'vitest';
import type { PodFacts } from '../../../core/model/pod.ts';
import { describeDeployment, eventually, fromOwner, type OwnershipSubject, podsOf } from './ownership-subject.ts';

const run = 'run-1';
const old = ['old-1', 'old-2'];
const fresh = ['new-1', 'new-2'];
const syncOptions = 'argocd.argoproj.io/sync-options';
const compareOptions = 'argocd.argoproj.io/compare-options';

/** How pods are released from their ReplicaSet and adopted, for every implementation. */
export function describeOwnership(name: string, subject: () => OwnershipSubject): void {
  describe(`pods and their ReplicaSets in ${name}`, () => {
    it('a released pod is replaced at once, serves on, and counts for its budget', async () => {
      await deploy('served');
      const released = await releaseAll('served');
      await becomes('served', { owned: ['pending', 'pending'], released: old, ready: 2, healthy: 2, mayGo: 0 });
      await subject().deployments.start('served', fresh);
      await becomes('served', { owned: fresh, released: old, ready: 4, healthy: 4, mayGo: 2 });
      const { one } = subject();
      for (const pod of released) expect(await one.evict(pod, { dryRun: false })).toEqual({ outcome: 'evicted' });
      await becomes('served', { owned: fresh, released: [], ready: 2, healthy: 2, mayGo: 0 });
    });

    it('a released pod tells by whom, from what, and how many pods are wanted there', async () => {
      await deploy('told');
      const [pod] = await podsOf(subject(), 'told');
      const from = fromOwner(present(pod));
      expect(from).toMatchObject({ label: 'pod-template-hash', workload: 'Deployment default/told' });
      await releaseAll('told');
      const seen = present(await find(present(pod)));
      expect(seen).toMatchObject({ node: pod?.node, released: { by: run, ...from, wants: 2 } });
      expect(await ownership('told')).toContain(`pod default/${seen.name}: removed labels pod-template-hash`);
    });

    it('a pod is released once, and only from its own ReplicaSet', async () => {
      await deploy('once');
      const { one } = subject();
      const pod = present((await podsOf(subject(), 'once')).find(({ node }) => node === 'old-1'));
      const from = fromOwner(pod);
      const another = { ...from, replicaSet: { name: 'another', uid: 'another' } };
      expect(await one.release(pod, another, run)).toBe('not-owned');
      expect(await one.release(pod, { ...from, value: 'another' }, run)).toBe('not-owned');
      expect(await one.release({ ...pod, uid: 'another' }, from, run)).toBe('gone');
      expect(await one.release(pod, from, run)).toBe('done');
      expect(await one.release(pod, from, run)).toBe('done');
      await becomes('once', { owned: ['old-2', 'pending'], released: ['old-1'] });
      expect(await one.release(pod, from, 'run-2')).toBe('done');
      expect(await one.adopt(pod, run)).toBe('not-ours');
      expect(await one.adopt(pod, 'run-2')).toBe('done');
      expect(await one.adopt(pod, 'run-2')).toBe('not-ours');
      await becomes('once', { owned: old, released: [] });
    });

    it('adopted before its replacement runs, all is exactly as before', async () => {
      await deploy('early');
      const before = await names('early');
      const pods = await releaseAll('early');
      await becomes('early', { owned: ['pending', 'pending'], released: old });
      for (const pod of pods) expect(await subject().one.adopt(pod, run)).toBe('done');
      await becomes('early', { owned: old, released: [], ready: 2 });
      expect(await names('early')).toEqual(before);
      expect(await ownership('early')).toEqual([]);
    });

    it('adopted with a raised deletion cost, the same pods stay and their replacements go', async () => {
      await deploy('late', ['old-1', 'old-1']);
      const before = await names('late');
      const pods = await releaseAll('late');
      await becomes('late', { released: ['old-1', 'old-1'], owned: ['pending', 'pending'] });
      await subject().deployments.start('late', fresh);
      await becomes('late', { owned: fresh, ready: 4 });
      for (const pod of pods) expect(await subject().one.raiseDeletionCost(pod, run)).toBe('done');
      for (const pod of pods) expect(await subject().one.adopt(pod, run)).toBe('done');
      await becomes('late', { owned: ['old-1', 'old-1'], released: [], ready: 2 });
      expect(await names('late')).toEqual(before);
      for (const pod of pods) expect(await subject().one.restoreDeletionCost(pod, run)).toBe('done');
      expect(await ownership('late')).toEqual([]);
    });

    it('adopted without it, the ReplicaSet may delete one that shall stay, and be it one that was never released', async () => {
      await deploy('harmed', ['old-1', 'old-1']);
      await releaseOne('harmed');
      await subject().one.adopt(present((await released('harmed'))[0]), run);
      await becomes('harmed', { owned: ['new-1', 'old-1'], released: [], ready: 2 });
    });

    it('with raised deletion costs, pods that were never released stay as well', async () => {
      await deploy('spared', ['old-1', 'old-1']);
      const before = await podsOf(subject(), 'spared');
      await releaseOne('spared');
      for (const pod of before) expect(await subject().one.raiseDeletionCost(pod, run)).toBe('done');
      await subject().one.adopt(present((await released('spared'))[0]), run);
      await becomes('spared', { owned: ['old-1', 'old-1'], released: [], ready: 2 });
      expect(await names('spared')).toEqual(before.map(({ name: pod }) => pod).toSorted());
    });

    it('a raised deletion cost gives way to the one that was there before, or that somebody has set since', async () => {
      await deploy('costly');
      const { one, deployments } = subject();
      const [first, second] = (await podsOf(subject(), 'costly')).map(present);
      if (first === undefined || second === undefined) throw new Error('two pods were expected');
      await deployments.setDeletionCost(first.name, '7');
      for (const pod of [first, second, first]) expect(await one.raiseDeletionCost(pod, run)).toBe('done');
      expect(await deployments.deletionCostOf(first.name)).toBe('2147483647');
      expect(await find(first)).toMatchObject({ costRaisedBy: run });
      expect(await ownership('costly')).toContain(
        `pod default/${first.name}: annotation controller.kubernetes.io/pod-deletion-cost`,
      );
      expect(await one.restoreDeletionCost(first, 'run-2')).toBe('not-ours');
      expect(await one.restoreDeletionCost(first, run)).toBe('done');
      expect(await one.restoreDeletionCost(first, run)).toBe('not-ours');
      expect(await deployments.deletionCostOf(first.name)).toBe('7');
      await deployments.setDeletionCost(second.name, '9');
      expect(await one.restoreDeletionCost(second, run)).toBe('done');
      expect(await deployments.deletionCostOf(second.name)).toBe('9');
      expect(await ownership('costly')).toEqual([]);
    });

    it('a released pod is kept from pruners, and adopted again has the annotations that it had', async () => {
      await deploy('pruned');
      const { one, deployments } = subject();
      const [first, second] = (await podsOf(subject(), 'pruned')).map(present);
      if (first === undefined || second === undefined) throw new Error('two pods were expected');
      await deployments.annotate(first.name, { [syncOptions]: 'Replace=true', team: 'payments' });
      for (const pod of [first, second, first]) expect(await one.release(pod, fromOwner(pod), run)).toBe('done');
      expect(await deployments.annotationsOf(first.name)).toMatchObject({
        [syncOptions]: 'Replace=true,Prune=false',
        [compareOptions]: 'IgnoreExtraneous',
      });
      expect((await find(first))?.released).not.toHaveProperty('annotationsBefore');
      await deployments.annotate(second.name, { [compareOptions]: 'ServerSideDiff=true' });
      expect(await one.release(first, fromOwner(first), 'run-2')).toBe('done');
      expect(await one.adopt(first, 'run-2')).toBe('done');
      expect(await one.adopt(second, run)).toBe('done');
      expect(await deployments.annotationsOf(first.name)).toEqual({ [syncOptions]: 'Replace=true', team: 'payments' });
      expect(await deployments.annotationsOf(second.name)).toEqual({ [compareOptions]: 'ServerSideDiff=true' });
      await becomes('pruned', { owned: old, released: [] });
    });

    it('a released pod that is removed from endpoints is kept from pruners until it is both restored and adopted', async () => {
      await deploy('kept');
      const { one, deployments } = subject();
      const [first, second] = (await podsOf(subject(), 'kept')).map(present);
      if (first === undefined || second === undefined) throw new Error('two pods were expected');
      const kept = { [syncOptions]: 'Replace=true,Prune=false', [compareOptions]: 'IgnoreExtraneous' };
      for (const pod of [first, second]) {
        await deployments.annotate(pod.name, { [syncOptions]: 'Replace=true' });
        expect(await one.release(pod, fromOwner(pod), run)).toBe('done');
        expect(await one.removeEndpoints(pod, ['app'], run)).toBe('done');
        expect(await one.removeEndpoints(pod, ['app'], run)).toBe('done');
        expect(await deployments.annotationsOf(pod.name)).toMatchObject(kept);
      }
      expect(await one.adopt(first, run)).toBe('done');
      expect(await one.restoreEndpoints(second, run)).toBe('done');
      for (const { name } of [first, second]) expect(await deployments.annotationsOf(name)).toMatchObject(kept);
      expect(await one.restoreEndpoints(first, run)).toBe('done');
      expect(await one.adopt(second, run)).toBe('done');
      for (const { name } of [first, second])
        expect(await deployments.annotationsOf(name)).toEqual({ [syncOptions]: 'Replace=true' });
    });

    it('tries a release and a removal from endpoints without changing anything', async () => {
      await deploy('tried');
      const { one } = subject();
      const before = await podsOf(subject(), 'tried');
      for (const pod of before) {
        expect(await one.tryRelease(pod, fromOwner(pod))).toBeUndefined();
        expect(await one.tryRemoveEndpoints(pod, ['app'])).toBeUndefined();
      }
      await subject().deployments.passTime();
      expect(await podsOf(subject(), 'tried')).toEqual(before);
      expect(await ownership('tried')).toEqual([]);
    });

    it('where pods must have an owner, says so when a release is tried; else their ReplicaSet would stand still', async () => {
      await deploy('owned');
      const { one, deployments } = subject();
      await deployments.forbidNoOwner('owned');
      const [first] = (await podsOf(subject(), 'owned')).map(present);
      if (first === undefined) throw new Error('a pod was expected');
      expect(await one.tryRelease(first, fromOwner(first))).toMatch(/pods need an owner/);
      expect(await one.release(first, fromOwner(first), run)).toBe('done');
      await deployments.passTime();
      expect(await find(first)).toMatchObject({ ownerKind: 'ReplicaSet', released: { by: run } });
      await deployments.scale('owned', 3);
      for (let times = 0; times < 20; times += 1) await deployments.passTime();
      expect(await podsOf(subject(), 'owned')).toHaveLength(2);
      expect(await one.adopt(first, run)).toBe('done');
      await becomes('owned', { owned: ['old-1', 'old-2', 'pending'], released: [] });
    });

    it('a ReplicaSet that was refused a pod says so, and creates it when it is woken and there is room', async () => {
      await deploy('refused');
      const { one, deployments } = subject();
      const [first] = (await podsOf(subject(), 'refused')).map(present);
      if (first === undefined) throw new Error('a pod was expected');
      await deployments.limitPods('refused', true);
      await deployments.scale('refused', 3);
      const refusal = async () => (await one.observe()).workloads.find((found) => found.name === 'refused')?.refused;
      await eventually(subject(), async () => expect(await refusal()).toMatch(/is forbidden: exceeded quota: refused/));
      const before = await deployments.annotationsOf(first.name);
      await deployments.limitPods('refused', false);
      await one.wakeOwner(first, run);
      await becomes('refused', { owned: ['old-1', 'old-2', 'pending'] });
      await eventually(subject(), async () => expect(await refusal()).toBeUndefined());
      expect(await deployments.annotationsOf(first.name)).toEqual(before);
      expect(await ownership('refused')).toEqual([]);
    });

    it('a pod whose deletion cost was raised is not changed to wake its ReplicaSet', async () => {
      await deploy('woken');
      const { one, deployments } = subject();
      const [first] = (await podsOf(subject(), 'woken')).map(present);
      if (first === undefined) throw new Error('a pod was expected');
      await one.raiseDeletionCost(first, run);
      await one.wakeOwner(first, run);
      await one.wakeOwner({ ...first, uid: 'another' }, run);
      expect(await deployments.deletionCostOf(first.name)).toBe('2147483647');
      expect(await find(first)).toMatchObject({ costRaisedBy: run });
    });

    it('a pod that was released before a scale-down stays, and its ReplicaSet wants fewer', async () => {
      await deploy('scaled');
      const pods = await releaseAll('scaled');
      await becomes('scaled', { owned: ['pending', 'pending'], released: old });
      await subject().deployments.scale('scaled', 1);
      await becomes('scaled', { owned: ['pending'], released: old, ready: 2 });
      await eventually(subject(), async () => {
        expect(await find(present(pods[0]))).toMatchObject({ released: { wants: 1 } });
      });
    });

    it('a pod of a paused Deployment is replaced and adopted like any other', async () => {
      await deploy('paused');
      const before = await names('paused');
      await subject().deployments.pause('paused');
      const pods = await releaseAll('paused');
      await becomes('paused', { owned: ['pending', 'pending'], released: old, ready: 2 });
      for (const pod of pods) expect(await subject().one.adopt(pod, run)).toBe('done');
      await becomes('paused', { owned: old, released: [], ready: 2 });
      expect(await names('paused')).toEqual(before);
    });

    it('a pod that was released before a rollout serves the old version on, and nobody wants it', async () => {
      await deploy('rolled');
      const pods = await releaseAll('rolled');
      await becomes('rolled', { owned: ['pending', 'pending'], released: old });
      await subject().deployments.start('rolled', fresh);
      await becomes('rolled', { owned: fresh, ready: 4 });
      await subject().deployments.changeTemplate('rolled');
      await eventually(subject(), async () => {
        await subject().deployments.start('rolled', ['new-3']);
        expect(await describeDeployment(subject(), 'rolled')).toMatchObject({
          owned: ['new-3', 'new-3'],
          released: old,
          ready: 4,
        });
      });
      await eventually(subject(), async () => {
        expect(await find(present(pods[0]))).toMatchObject({ released: { wants: 0 } });
      });
    });

    it('a pod whose Deployment is deleted stays for ever, unless it is deleted by its UID', async () => {
      await deploy('deleted');
      const pods = await releaseAll('deleted');
      await becomes('deleted', { owned: ['pending', 'pending'], released: old });
      await subject().deployments.remove('deleted');
      await becomes('deleted', { owned: [], released: old, ready: 2 });
      await eventually(subject(), async () => {
        expect((await find(present(pods[0])))?.released).not.toHaveProperty('wants');
      });
      for (const pod of pods) expect(await subject().one.deletePod(pod)).toBe('done');
      await becomes('deleted', { owned: [], released: [], ready: 0 });
    });
  });

  async function deploy(deployment: string, nodes: readonly string[] = old): Promise<void> {
    await subject().deployments.deploy(deployment, nodes.length, nodes);
    await becomes(deployment, { owned: nodes, released: [], ready: nodes.length, healthy: nodes.length });
  }

  async function releaseAll(deployment: string): Promise<readonly PodFacts[]> {
    const pods = await podsOf(subject(), deployment);
    for (const pod of pods) expect(await subject().one.release(pod, fromOwner(pod), run)).toBe('done');
    return pods;
  }

  /** One of two pods on a node, so that the ReplicaSet has most of its pods there when it is adopted. */
  async function releaseOne(deployment: string): Promise<void> {
    const pod = present((await podsOf(subject(), deployment))[0]);
    expect(await subject().one.release(pod, fromOwner(pod), run)).toBe('done');
    await becomes(deployment, { owned: ['old-1', 'pending'], released: ['old-1'] });
    await subject().deployments.start(deployment, ['new-1']);
    await becomes(deployment, { owned: ['new-1', 'old-1'], released: ['old-1'], ready: 3 });
  }

  async function released(deployment: string): Promise<readonly PodFacts[]> {
    return (await podsOf(subject(), deployment)).filter((pod) => pod.released !== undefined);
  }

  async function becomes(deployment: string, expected: object): Promise<void> {
    await eventually(subject(), async () => {
      expect(await describeDeployment(subject(), deployment)).toMatchObject(expected);
    });
  }

  async function find({ uid }: PodFacts): Promise<PodFacts | undefined> {
    return (await subject().one.observe()).pods.find((pod) => pod.uid === uid);
  }

  async function names(deployment: string): Promise<readonly string[]> {
    return (await podsOf(subject(), deployment)).map(({ name: pod }) => pod).toSorted();
  }

  async function ownership(deployment: string): Promise<readonly string[]> {
    return (await subject().one.findLeftovers(run)).filter((mark) => mark.startsWith(`pod default/${deployment}-`));
  }
}

function present(pod: PodFacts | undefined): PodFacts {
  if (pod === undefined) throw new Error('no such pod');
  return pod;
}
