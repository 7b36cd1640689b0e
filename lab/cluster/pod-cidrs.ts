/** Gives nodes their pod CIDR, as the IPAM controller of GKE does. Without one a node is no member of any network endpoint group. */
import { CoreV1Api, type KubeConfig, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { podSubnet } from '../network-plan.ts';
import type { Machines } from './machines.ts';
import { repeatEvery } from './repeat.ts';

const CHECK_EVERY_MS = 500;

/** Keeps that up until the returned function is called. A call that fails is repeated. */
export function assignPodCidrs(config: KubeConfig, machines: Pick<Machines, 'list'>): () => void {
  const core = config.makeApiClient(CoreV1Api);
  return repeatEvery(CHECK_EVERY_MS, async () => {
    const { items } = await core.listNode();
    for (const { metadata, spec } of items) {
      const machine = machines.list().find(({ instance }) => instance.privateDnsName === metadata?.name);
      if (machine === undefined || spec?.podCIDR !== undefined) continue;
      const podCIDR = podSubnet(machine.address.number);
      await core.patchNode(
        { name: metadata?.name ?? '', body: { spec: { podCIDR, podCIDRs: [podCIDR] } } },
        setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
      );
    }
  });
}
