import { describe, expect, it } from 'vitest';

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
