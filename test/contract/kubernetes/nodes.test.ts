import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createKubernetesCluster, type KubernetesCluster } from '../../../adapters/kubernetes/cluster.ts';
import { type ControlPlane, startControlPlane } from '../../support/control-plane.ts';
import { createNode, grantDeployedRoles, readNode } from './objects.ts';

const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';

describe('marks on nodes of a real API server', () => {
  let controlPlane: ControlPlane;
  let cluster: KubernetesCluster;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    grantDeployedRoles(controlPlane);
    cluster = createKubernetesCluster({ kubeconfig: controlPlane.kubeconfig('nodeferry') });
  });

  afterAll(async () => {
    cluster?.close();
    await controlPlane?.stop();
  });

  it('cordons a node with a mark of the run and takes both away again', async () => {
    const node = await createNode(controlPlane, 'cordoned');
    expect(await cluster.cordon(node, 'run-1')).toBe('done');
    expect(await cluster.cordon(node, 'run-1')).toBe('done');
    const marked = await readNode(controlPlane, node.name);
    expect(marked.spec.unschedulable).toBe(true);
    expect(marked.metadata.annotations).toEqual({ 'nodeferry.dev/cordoned-by': 'run-1' });

    expect(await cluster.uncordon(node, 'run-1')).toBe('done');
    expect(await cluster.uncordon(node, 'run-1')).toBe('not-ours');
    const restored = await readNode(controlPlane, node.name);
    expect(restored.spec.unschedulable).toBeUndefined();
    expect(restored.metadata.annotations ?? {}).toEqual({});
  });

  it('leaves the cordon of somebody else alone', async () => {
    const node = await createNode(controlPlane, 'foreign-cordon', { spec: { unschedulable: true } });
    expect(await cluster.cordon(node, 'run-1')).toBe('already');
    expect(await cluster.uncordon(node, 'run-1')).toBe('not-ours');
    const after = await readNode(controlPlane, node.name);
    expect(after.spec.unschedulable).toBe(true);
    expect(after.metadata.annotations).toBeUndefined();
  });

  it('leaves the cordon of another run alone', async () => {
    const node = await createNode(controlPlane, 'other-run');
    await cluster.cordon(node, 'run-1');
    expect(await cluster.cordon(node, 'run-2')).toBe('already');
    expect(await cluster.uncordon(node, 'run-2')).toBe('not-ours');
    expect((await readNode(controlPlane, node.name)).spec.unschedulable).toBe(true);
  });

  it('excludes a node from load balancers by label and includes it again', async () => {
    const node = await createNode(controlPlane, 'excluded');
    expect(await cluster.exclude(node, 'run-1')).toBe('done');
    const marked = await readNode(controlPlane, node.name);
    expect(marked.metadata.labels[excludeLabel]).toBe('true');
    expect(marked.metadata.annotations).toEqual({ 'nodeferry.dev/excluded-by': 'run-1' });

    expect(await cluster.include(node, 'run-1')).toBe('done');
    const restored = await readNode(controlPlane, node.name);
    expect(restored.metadata.labels).not.toHaveProperty(excludeLabel);
    expect(restored.metadata.annotations ?? {}).toEqual({});
  });

  it('leaves the exclude label of somebody else alone', async () => {
    const node = await createNode(controlPlane, 'foreign-exclude', { labels: { [excludeLabel]: 'karpenter' } });
    expect(await cluster.exclude(node, 'run-1')).toBe('already');
    expect(await cluster.include(node, 'run-1')).toBe('not-ours');
    expect((await readNode(controlPlane, node.name)).metadata.labels[excludeLabel]).toBe('karpenter');
  });

  it('refuses to overwrite a foreign exclude label that says false', async () => {
    const node = await createNode(controlPlane, 'foreign-false', { labels: { [excludeLabel]: 'false' } });
    await expect(cluster.exclude(node, 'run-1')).rejects.toMatchObject({ problem: { code: 'NodeNotOurs' } });
    expect((await readNode(controlPlane, node.name)).metadata.labels[excludeLabel]).toBe('false');
  });

  it('taints a retiring node and keeps the taints of others', async () => {
    const foreign = { key: 'example.com/gpu', effect: 'NoSchedule' };
    const node = await createNode(controlPlane, 'tainted', { spec: { taints: [foreign] } });
    const keys = async () => (await readNode(controlPlane, node.name)).spec.taints?.map(({ key }) => key) ?? [];
    const before = await keys();
    expect(await cluster.taintRetiring(node, 'run-1')).toBe('done');
    expect(await cluster.taintRetiring(node, 'run-1')).toBe('done');
    expect(await keys()).toEqual([...before, 'nodeferry.dev/retiring']);
    expect(await cluster.untaintRetiring(node, 'run-2')).toBe('not-ours');
    expect(await cluster.untaintRetiring(node, 'run-1')).toBe('done');
    expect(await keys()).toEqual(before);
  });

  it('keeps every change when many are made to one node at once', async () => {
    const node = await createNode(controlPlane, 'busy');
    const outcomes = await Promise.all([
      cluster.cordon(node, 'run-1'),
      cluster.exclude(node, 'run-1'),
      cluster.taintRetiring(node, 'run-1'),
      controlPlane.api('PATCH', `/api/v1/nodes/${node.name}`, { metadata: { labels: { foreign: 'yes' } } }),
    ]);
    expect(outcomes.slice(0, 3)).toEqual(['done', 'done', 'done']);
    const after = await readNode(controlPlane, node.name);
    expect(after.spec.unschedulable).toBe(true);
    expect(after.metadata.labels).toMatchObject({ [excludeLabel]: 'true', foreign: 'yes' });
    expect(after.spec.taints?.map(({ key }) => key)).toContain('nodeferry.dev/retiring');
  });

  it('takes a node of the same name with another UID for gone, and leaves it alone', async () => {
    const old = await createNode(controlPlane, 'reborn');
    await controlPlane.api('DELETE', '/api/v1/nodes/reborn');
    await createNode(controlPlane, 'reborn');
    for (const operation of ['cordon', 'uncordon', 'exclude', 'include', 'taintRetiring', 'untaintRetiring'] as const) {
      expect(await cluster[operation](old, 'run-1')).toBe('gone');
    }
    expect(await cluster.deleteNode(old)).toBe('gone');
    expect((await readNode(controlPlane, 'reborn')).metadata.annotations).toBeUndefined();
  });

  it('deletes the Node object with that UID once', async () => {
    const node = await createNode(controlPlane, 'deleted');
    expect(await cluster.deleteNode(node)).toBe('done');
    expect(await cluster.deleteNode(node)).toBe('gone');
    expect(await cluster.cordon(node, 'run-1')).toBe('gone');
  });

  it('records an event on the node and counts it when it comes again', async () => {
    const node = await createNode(controlPlane, 'eventful');
    const event = { node, reason: 'SteppedOut', message: 'out of 2 target groups', type: 'Normal' } as const;
    await cluster.recordEvent(event);
    await cluster.recordEvent(event);
    await cluster.recordEvent(event);
    const events = await controlPlane.api<{ items: { note: string; series?: { count: number } }[] }>(
      'GET',
      '/apis/events.k8s.io/v1/namespaces/default/events',
    );
    expect(events.items).toMatchObject([{ note: 'out of 2 target groups', series: { count: 3 } }]);
    expect(controlPlane.kubectl(['describe', 'node', 'eventful'])).toContain('SteppedOut');
  });

  it('finds every mark of a run and none of another', async () => {
    const node = await createNode(controlPlane, 'marked');
    await cluster.cordon(node, 'run-9');
    await cluster.exclude(node, 'run-9');
    await cluster.taintRetiring(node, 'run-9');
    const lock = await cluster.acquireLock('nodeferry-prod-marked', 'run-9', 30_000);
    expect(await cluster.findMarks('run-9')).toEqual([
      'node marked: cordon',
      `node marked: label ${excludeLabel}`,
      'node marked: taint nodeferry.dev/retiring',
      'lease nodeferry/nodeferry-prod-marked',
    ]);
    expect(await cluster.findMarks('run-99')).toEqual([]);
    const ofStep = await cluster.acquireLock('nodeferry-of-a-step', 'run-9/workflow.3.1', 30_000);
    expect(await cluster.findLocks('run-9')).toEqual(expect.arrayContaining([lock, ofStep]));
    expect(await cluster.findLocks('run-99')).toEqual([]);
    await cluster.releaseLock(ofStep);
    expect(await cluster.findLocks('run-9')).toEqual([lock]);
    await cluster.uncordon(node, 'run-9');
    await cluster.include(node, 'run-9');
    await cluster.untaintRetiring(node, 'run-9');
    await cluster.releaseLock(lock);
    expect(await cluster.findMarks('run-9')).toEqual([]);
  });
});
