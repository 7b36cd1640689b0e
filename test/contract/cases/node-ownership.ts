import { describe, expect, it } from 'vitest';
import { type ClusterSubject, excludeLabel, seeNode } from './cluster-subject.ts';

/** How ownership of nodes behaves, for every implementation. */
export function describeNodeOwnership(name: string, subject: () => ClusterSubject): void {
  describe(`ownership of nodes of ${name}`, () => {
    it('cordon a node and uncordon it again', async () => {
      const { one, others } = subject();
      const node = await others.addNode('cordoned');
      expect(await one.cordon(node, 'run-1')).toBe('done');
      expect(await one.cordon(node, 'run-1')).toBe('done');
      expect(await seeNode(subject(), node.name)).toMatchObject({ cordoned: true, ownership: { cordonedBy: 'run-1' } });
      expect(await one.uncordon(node, 'run-1')).toBe('done');
      expect(await one.uncordon(node, 'run-1')).toBe('not-ours');
      expect(await seeNode(subject(), node.name)).toMatchObject({ cordoned: false, ownership: {} });
    });

    it('leave the cordon of somebody else alone', async () => {
      const { one, others } = subject();
      const node = await others.addNode('cordoned-by-others', { cordoned: true });
      expect(await one.cordon(node, 'run-1')).toBe('already');
      expect(await one.uncordon(node, 'run-1')).toBe('not-ours');
      const after = await seeNode(subject(), node.name);
      expect([after.cordoned, after.ownership]).toEqual([true, {}]);
    });

    it('leave the cordon of another run alone', async () => {
      const { one, others } = subject();
      const node = await others.addNode('other-run');
      await one.cordon(node, 'run-1');
      expect(await one.cordon(node, 'run-2')).toBe('already');
      expect(await one.uncordon(node, 'run-2')).toBe('not-ours');
      expect(await seeNode(subject(), node.name)).toMatchObject({ cordoned: true, ownership: { cordonedBy: 'run-1' } });
    });

    it('cordon again what somebody has opened though our annotation is on it', async () => {
      const { one, others } = subject();
      const node = await others.addNode('opened');
      await one.cordon(node, 'run-1');
      await others.changeNode(node.name, { cordoned: false });
      expect(await one.cordon(node, 'run-1')).toBe('done');
      expect(await seeNode(subject(), node.name)).toMatchObject({ cordoned: true });
    });

    it('exclude a node from load balancers and include it again', async () => {
      const { one, others } = subject();
      const node = await others.addNode('excluded');
      expect(await one.exclude(node, 'run-1')).toBe('done');
      expect(await one.exclude(node, 'run-1')).toBe('done');
      const marked = await seeNode(subject(), node.name);
      expect(marked).toMatchObject({ excluded: true, ownership: { excludedBy: 'run-1' } });
      expect(marked.labels[excludeLabel]).toBe('true');
      expect(await one.include(node, 'run-1')).toBe('done');
      expect(await one.include(node, 'run-1')).toBe('not-ours');
      const restored = await seeNode(subject(), node.name);
      expect(restored).toMatchObject({ excluded: false, ownership: {} });
      expect(restored.labels).not.toHaveProperty(excludeLabel);
    });

    it('leave the exclude label of somebody else alone', async () => {
      const { one, others } = subject();
      const node = await others.addNode('foreign-exclude', { labels: { [excludeLabel]: 'karpenter' } });
      expect(await one.exclude(node, 'run-1')).toBe('already');
      expect(await one.include(node, 'run-1')).toBe('not-ours');
      expect((await seeNode(subject(), node.name)).labels[excludeLabel]).toBe('karpenter');
    });

    it('refuse to overwrite a foreign exclude label that says false', async () => {
      const { one, others } = subject();
      const node = await others.addNode('foreign-false', { labels: { [excludeLabel]: 'false' } });
      await expect(one.exclude(node, 'run-1')).rejects.toMatchObject({ problem: { code: 'NotOwned' } });
      const after = await seeNode(subject(), node.name);
      expect(after).toMatchObject({ excluded: false, deniesExclusion: true });
      expect(after.labels[excludeLabel]).toBe('false');
    });

    it('exclude again what somebody has included though our annotation is on it', async () => {
      const { one, others } = subject();
      const node = await others.addNode('included');
      await one.exclude(node, 'run-1');
      await others.changeNode(node.name, { labels: { [excludeLabel]: null } });
      expect(await seeNode(subject(), node.name)).toMatchObject({
        excluded: false,
        ownership: { excludedBy: 'run-1' },
      });
      expect(await one.exclude(node, 'run-1')).toBe('done');
      expect(await seeNode(subject(), node.name)).toMatchObject({ excluded: true });
    });

    it('leave what a run has set on a node to others: nothing of it is theirs to remove any more', async () => {
      const { one, others } = subject();
      const node = await others.addNode('kept');
      await one.cordon(node, 'run-1');
      await one.exclude(node, 'run-1');
      await one.taintDisrupted(node, 'run-1');
      await one.fenceNode(node, { run: 'run-1', round: 1, step: 1, attempt: 1 });
      expect(await one.removeOwnershipMarks(node, 'run-2')).toBe('done');
      expect(await seeNode(subject(), node.name)).toMatchObject({
        ownership: { cordonedBy: 'run-1', excludedBy: 'run-1' },
      });
      expect(await one.removeOwnershipMarks(node, 'run-1')).toBe('done');
      expect(await one.removeOwnershipMarks(node, 'run-1')).toBe('done');
      const kept = await seeNode(subject(), node.name);
      expect(kept).toMatchObject({ cordoned: true, excluded: true, ownership: {} });
      expect(kept.taints).toContainEqual(expect.objectContaining({ key: 'nodeferry.dev/disrupted' }));
      expect(await one.uncordon(node, 'run-1')).toBe('not-ours');
      expect(await one.include(node, 'run-1')).toBe('not-ours');
      expect(await one.untaintDisrupted(node, 'run-1')).toBe('not-ours');
    });

    it('taint a disrupted node and keep the taints of others', async () => {
      const { one, others } = subject();
      const node = await others.addNode('tainted', { taints: ['example.com/gpu'] });
      const keys = async () => (await seeNode(subject(), node.name)).taints.map(({ key }) => key);
      const before = await keys();
      expect(await one.taintDisrupted(node, 'run-1')).toBe('done');
      expect(await one.taintDisrupted(node, 'run-1')).toBe('done');
      expect(await keys()).toEqual([...before, 'nodeferry.dev/disrupted']);
      expect(await one.untaintDisrupted(node, 'run-2')).toBe('not-ours');
      expect(await one.untaintDisrupted(node, 'run-1')).toBe('done');
      expect(await keys()).toEqual(before);
    });

    it('all stay when many are made to one node at once', async () => {
      const { one, others } = subject();
      const node = await others.addNode('busy');
      const made = Promise.all([
        one.cordon(node, 'run-1'),
        one.exclude(node, 'run-1'),
        one.taintDisrupted(node, 'run-1'),
      ]);
      await others.changeNode(node.name, { labels: { foreign: 'yes' } });
      expect(await made).toEqual(['done', 'done', 'done']);
      const after = await seeNode(subject(), node.name);
      expect(after).toMatchObject({ cordoned: true, excluded: true });
      expect(after.labels).toMatchObject({ [excludeLabel]: 'true', foreign: 'yes' });
      expect(after.taints.map(({ key }) => key)).toContain('nodeferry.dev/disrupted');
    });

    it('tell of two attempts the later, until nobody acts on the node any more', async () => {
      const { one, other, others } = subject();
      const node = await others.addNode('claimed');
      const early = { run: 'run-1', round: 1, step: 2, attempt: 1 };
      const late = { ...early, attempt: 2 };
      expect(await one.fenceNode(node, early)).toBe('done');
      await one.requireFence(node, early);
      expect(await other.fenceNode(node, late)).toBe('done');
      expect(await one.fenceNode(node, early)).toBe('superseded');
      await expect(one.requireFence(node, early)).rejects.toMatchObject({ problem: { code: 'Superseded' } });
      await other.requireFence(node, late);
      expect((await seeNode(subject(), node.name)).ownership.fence).toEqual(late);
      expect(await one.unfenceNode(node, 'run-2')).toBe('not-ours');
      expect(await one.unfenceNode(node, 'run-1')).toBe('done');
      await expect(other.requireFence(node, late)).rejects.toMatchObject({ problem: { code: 'Superseded' } });
    });

    it('take a node of the same name with another UID for gone, and leave it alone', async () => {
      const { one, others } = subject();
      const old = await others.addNode('reborn');
      const fence = { run: 'run-1', round: 1, step: 2, attempt: 1 };
      await one.fenceNode(old, fence);
      expect(await one.requireFence(old, fence)).toBe('held');
      await others.removeNode('reborn');
      expect(await one.requireFence(old, fence)).toBe('gone');
      await others.addNode('reborn');
      expect(await one.fenceNode(old, fence)).toBe('gone');
      expect(await one.requireFence(old, fence)).toBe('succeeded');
      const operations = ['cordon', 'uncordon', 'exclude', 'include', 'taintDisrupted', 'untaintDisrupted'] as const;
      for (const operation of operations) expect(await one[operation](old, 'run-1')).toBe('gone');
      expect(await one.deleteNode(old)).toBe('gone');
      expect(await seeNode(subject(), 'reborn')).toMatchObject({ cordoned: false, excluded: false, ownership: {} });
    });

    it('end with the Node object, which is deleted once', async () => {
      const { one, others } = subject();
      const node = await others.addNode('deleted');
      expect(await one.deleteNode(node)).toBe('done');
      expect(await one.deleteNode(node)).toBe('gone');
      expect(await one.cordon(node, 'run-1')).toBe('gone');
    });

    it('are found, every one of a run and none of another', async () => {
      const { one, others } = subject();
      const node = await others.addNode('marked');
      await one.cordon(node, 'run-9');
      await one.exclude(node, 'run-9');
      await one.taintDisrupted(node, 'run-9');
      await one.fenceNode(node, { run: 'run-9', round: 1, step: 1, attempt: 1 });
      expect(await one.findLeftovers('run-9')).toEqual([
        'node marked: cordon',
        `node marked: label ${excludeLabel}`,
        'node marked: taint nodeferry.dev/disrupted',
        'node marked: annotation nodeferry.dev/fence',
      ]);
      expect(await one.findLeftovers('run-99')).toEqual([]);
      await one.uncordon(node, 'run-9');
      await one.include(node, 'run-9');
      await one.untaintDisrupted(node, 'run-9');
      await one.unfenceNode(node, 'run-9');
      expect(await one.findLeftovers('run-9')).toEqual([]);
    });
  });
}
