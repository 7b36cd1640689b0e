import { describe, expect, test } from 'vitest';
import type { Connection } from '../../../adapters/kubernetes/connection.ts';
import { createSurroundings } from '../../../adapters/kubernetes/surroundings.ts';

const binding = {
  metadata: { namespace: 'default' },
  spec: { targetGroupARN: 'arn:web', targetType: 'ip', serviceRef: { name: 'web' } },
};
const boundGroups = [
  { service: 'default/web', name: 'arn:web', by: 'TargetGroupBinding default/', inOtherAccount: false },
];

const ofNodes = {
  metadata: { namespace: 'default', name: 'of-nodes' },
  spec: { targetGroupARN: 'arn:api', targetType: 'instance', serviceRef: { name: 'api' } },
};
const nodeBindings = [{ service: 'default/api', by: 'TargetGroupBinding default/of-nodes', groups: [], isOwn: false }];

/** An API server whose add-on of that resource may not be listed, or is not installed. EKS Auto Mode is not enabled unless said. */
function open(autoModeBindings = 404) {
  const server = { targetGroupBindings: 200, autoModeBindings };
  const send = async ({ resource }: { readonly resource: string }) => {
    const isBinding = resource === 'targetGroupBindings' || resource === 'autoModeBindings';
    const status = isBinding ? server[resource] : 200;
    const items = isBinding && status === 200 ? [binding, ofNodes] : [];
    return { status, headers: {}, body: { metadata: {}, items } };
  };
  return { server, reader: createSurroundings({ send } as unknown as Connection, 0) };
}

test('bindings that may not be listed any more stay what they were, and are told of as unread', async () => {
  const { server, reader } = open();
  expect(await reader.read()).toMatchObject({ boundGroups, nodeBindings, unread: [] });
  server.targetGroupBindings = 403;
  const { unread, ...seen } = await reader.read();
  expect(seen).toMatchObject({ boundGroups, nodeBindings });
  expect(unread).toMatchObject([{ resource: 'targetgroupbindings.elbv2.k8s.aws' }]);
});

test('bindings of EKS Auto Mode, whose API group is another one, are read in the same way', async () => {
  const { server, reader } = open(200);
  server.targetGroupBindings = 404;
  expect(await reader.read()).toMatchObject({ boundGroups, nodeBindings, unread: [] });
  server.autoModeBindings = 403;
  const unread = [{ resource: 'targetgroupbindings.eks.amazonaws.com' }];
  expect(await reader.read()).toMatchObject({ boundGroups, nodeBindings, unread });
});

test('bindings of one controller are read where a role does not know those of the other yet', async () => {
  const { server, reader } = open(403);
  expect(await reader.read()).toMatchObject({ boundGroups, unread: [{}] });
  server.targetGroupBindings = 404;
  expect(await reader.read()).toMatchObject({ boundGroups: [], nodeBindings: [], unread: [{}] });
});

test.each([
  [403, 1],
  [404, 0],
])('a role that never could list them (%i) reads all the rest', async (status, unread) => {
  const { server, reader } = open();
  server.targetGroupBindings = status;
  const seen = await reader.read();
  expect([seen.boundGroups, seen.unread.length]).toEqual([[], unread]);
});

describe('Ingresses that may not be listed', () => {
  const ingress = {
    metadata: { namespace: 'default', name: 'shop', annotations: { 'ingress.kubernetes.io/url-map': 'k8s2-um-shop' } },
    spec: { defaultBackend: { service: { name: 'web' } } },
  };

  test('are told of as unread, and any more stay what they were', async () => {
    let status = 403;
    const send = async ({ resource }: { readonly resource: string }) => ({
      status: resource === 'ingresses' ? status : 200,
      headers: {},
      body: { metadata: {}, items: resource === 'ingresses' && status === 200 ? [ingress] : [] },
    });
    const reader = createSurroundings({ send } as unknown as Connection, 0);
    const unread = [{ resource: 'ingresses.networking.k8s.io' }];
    expect(await reader.read()).toMatchObject({ ingressBackends: [], unread });
    status = 200;
    const read = await reader.read();
    expect(read.ingressBackends).toEqual([{ service: 'default/web', by: 'Ingress default/shop', groups: [] }]);
    status = 403;
    expect(await reader.read()).toMatchObject({ ingressBackends: read.ingressBackends, unread });
  });
});

test('bindings whose kind is removed are gone', async () => {
  const { server, reader } = open();
  await reader.read();
  server.targetGroupBindings = 404;
  expect((await reader.read()).boundGroups).toEqual([]);
});
