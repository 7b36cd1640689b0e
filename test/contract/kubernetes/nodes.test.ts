import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type ControlPlane, startControlPlane } from '../../support/control-plane.ts';
import { excludeLabel } from '../cases/cluster-subject.ts';
import { describeNodeMarks } from '../cases/node-marks.ts';
import { createNode, grantDeployedRoles, readNode } from './objects.ts';
import { openSubject, type RealSubject } from './subject.ts';

let controlPlane: ControlPlane;
let subject: RealSubject;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  grantDeployedRoles(controlPlane);
  subject = openSubject(controlPlane);
});

afterAll(async () => {
  subject?.close();
  await controlPlane?.stop();
});

describeNodeMarks('a real API server', () => subject);

describe('marks on Node objects of a real API server', () => {
  it('are written as others find them, and leave nothing behind', async () => {
    const { one } = subject;
    const node = await createNode(controlPlane, 'written');
    await one.cordon(node, 'run-1');
    await one.exclude(node, 'run-1');
    const marked = await readNode(controlPlane, node.name);
    expect(marked.spec.unschedulable).toBe(true);
    expect(marked.metadata.labels[excludeLabel]).toBe('true');
    expect(marked.metadata.annotations).toEqual({
      'nodeferry.dev/cordoned-by': 'run-1',
      'nodeferry.dev/excluded-by': 'run-1',
    });

    await one.uncordon(node, 'run-1');
    await one.include(node, 'run-1');
    const restored = await readNode(controlPlane, node.name);
    expect(restored.spec.unschedulable).toBeUndefined();
    expect(restored.metadata.labels).not.toHaveProperty(excludeLabel);
    expect(restored.metadata.annotations ?? {}).toEqual({});
  });

  it('records an event on the node and counts it when it comes again', async () => {
    const node = await createNode(controlPlane, 'eventful');
    const event = { node, reason: 'SteppedOut', message: 'out of 2 target groups', type: 'Normal' } as const;
    await subject.one.recordEvent(event);
    await subject.one.recordEvent(event);
    await subject.one.recordEvent(event);
    const events = await controlPlane.api<{ items: { note: string; series?: { count: number } }[] }>(
      'GET',
      '/apis/events.k8s.io/v1/namespaces/default/events',
    );
    // A kubelet or controller may have said something as well.
    const own = events.items.filter(({ note }) => note === event.message);
    expect(own).toMatchObject([{ note: 'out of 2 target groups', series: { count: 3 } }]);
    expect(controlPlane.kubectl(['describe', 'node', 'eventful'])).toContain('SteppedOut');
  });
});
