import { CoordinationV1Api, CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import type { Lab } from '../../../lab/lab.ts';

const prefix = 'nodeferry.dev/';
const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';

/**
 * Everything in the lab that a run could have left behind, found without asking nodeferry: what is left on nodes and pods, leases,
 * suspended processes. `unmanagedCordons` names nodes that somebody else has cordoned.
 */
export async function findTraces(lab: Lab, unmanagedCordons: readonly string[] = []): Promise<readonly string[]> {
  const config = new KubeConfig();
  config.loadFromFile(lab.kubeconfigPath);
  const core = config.makeApiClient(CoreV1Api);
  const [nodes, pods, leases] = await Promise.all([
    core.listNode(),
    core.listPodForAllNamespaces(),
    config.makeApiClient(CoordinationV1Api).listLeaseForAllNamespaces(),
  ]);
  return [
    ...nodes.items.flatMap(({ metadata, spec }) => [
      ...ours(metadata?.annotations).map((key) => `node ${metadata?.name}: annotation ${key}`),
      ...(metadata?.labels?.[excludeLabel] === undefined ? [] : [`node ${metadata.name}: label ${excludeLabel}`]),
      ...(spec?.taints ?? [])
        .filter((taint) => taint.key.startsWith(prefix))
        .map((taint) => `node ${metadata?.name}: taint ${taint.key}`),
      ...(spec?.unschedulable && !unmanagedCordons.includes(metadata?.name ?? '')
        ? [`node ${metadata?.name}: cordon`]
        : []),
    ]),
    ...pods.items.flatMap(({ metadata }) =>
      ours(metadata?.annotations).map((key) => `pod ${metadata?.name}: annotation ${key}`),
    ),
    ...leases.items
      .filter(({ metadata }) => /nodeferry|^disrupt-/.test(metadata?.name ?? ''))
      .map(({ metadata }) => `lease ${metadata?.name}`),
    ...[...lab.aws.model.autoScalingGroups.values()].flatMap((group) =>
      [...group.suspended.keys()].map((process) => `Auto Scaling group ${group.name}: ${process} suspended`),
    ),
  ];
}

function ours(annotations: Readonly<Record<string, string>> | undefined): string[] {
  return Object.keys(annotations ?? {}).filter((key) => key.startsWith(prefix));
}
