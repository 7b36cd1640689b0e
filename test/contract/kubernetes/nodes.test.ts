import { describe, expect, it } from 'vitest';

import { NodeferryError } from '../../../core/model/problem.ts';
import { excludeLabel } from '../cases/cluster-subject.ts';
import { describeNodeOwnership } from '../cases/node-ownership.ts';
import { createNode, readNode } from './objects.ts';
import { useRealCluster } from './subject.ts';

const real = useRealCluster();

describeNodeOwnership('a real API server', () => real.subject);

describe('ownership of Node objects of a real API server', () => {
  it('are written as others find them, and leave nothing behind', async () => {
    const { one } = real.subject;
    const node = await createNode(real.controlPlane, 'written');
    await one.cordon(node, 'run-1');
    await one.exclude(node, 'run-1');
    const marked = await readNode(real.controlPlane, node.name);
    expect(marked.spec.unschedulable).toBe(true);
    expect(marked.metadata.labels[excludeLabel]).toBe('true');
    expect(marked.metadata.annotations).toEqual({
      'nodeferry.dev/cordoned-by': 'run-1',
      'nodeferry.dev/excluded-by': 'run-1',
    });

    await one.uncordon(node, 'run-1');
    await one.include(node, 'run-1');
    const restored = await readNode(real.controlPlane, node.name);
    expect(restored.spec.unschedulable).toBeUndefined();
    expect(restored.metadata.labels).not.toHaveProperty(excludeLabel);
    expect(restored.metadata.annotations ?? {}).toEqual({});
  });

  it('asks for leave after each read: whoever is superseded meanwhile changes nothing, even after a conflict', async () => {
    const { one, other } = real.subject;
    const node = await createNode(real.controlPlane, 'guarded');
    let asked = 0;
    const guarded = one.guarded(async () => {
      asked += 1;
      if (asked > 1) throw new NodeferryError({ code: 'Superseded', message: 'a later attempt acts' });
      // The later attempt changes the object between the read and the write of the earlier one.
      await other.taintDisrupted(node, 'run-1');
    });
    await expect(guarded.cordon(node, 'run-1')).rejects.toMatchObject({ problem: { code: 'Superseded' } });
    expect(asked).toBe(2);
    const left = await readNode(real.controlPlane, node.name);
    expect(left.spec.unschedulable).toBeUndefined();
    // What is as it should be needs no leave.
    expect(await guarded.taintDisrupted(node, 'run-1')).toBe('done');
    expect(asked).toBe(2);
  });

  it('records an event on the node and counts it when it comes again', async () => {
    const node = await createNode(real.controlPlane, 'eventful');
    const event = { node, reason: 'ExcludeResult', message: 'out of 2 target groups', type: 'Normal' } as const;
    await real.subject.one.recordEvent(event);
    await real.subject.one.recordEvent(event);
    await real.subject.one.recordEvent(event);
    const events = await real.controlPlane.api<{ items: { note: string; series?: { count: number } }[] }>(
      'GET',
      '/apis/events.k8s.io/v1/namespaces/default/events',
    );
    // A kubelet or controller may have said something as well.
    const own = events.items.filter(({ note }) => note === event.message);
    expect(own).toMatchObject([{ note: 'out of 2 target groups', series: { count: 3 } }]);
    expect(real.controlPlane.kubectl(['describe', 'node', 'eventful'])).toContain('ExcludeResult');
  });
});
