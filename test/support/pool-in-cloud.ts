import type { SimulatedAws } from '../../lab/aws/server.ts';

/** What a pool looks like in the cloud, but for the names of its instances; undefined when there is none. */
export function poolInCloud(model: SimulatedAws['model'], name: string) {
  const nodegroup = model.nodegroups.get(name);
  const group = model.autoScalingGroups.get(nodegroup?.autoScalingGroup ?? '');
  if (nodegroup === undefined || group === undefined) return undefined;
  const { min, max, desired } = group;
  const zones = [...group.members.values()].map(({ zone, lifecycle }) => `${zone} ${lifecycle}`).toSorted();
  const tags = [...nodegroup.tags.keys()].filter((tag) => tag.startsWith('nodeferry.dev/'));
  return { version: nodegroup.version, min, max, desired, zones, suspended: [...group.suspended.keys()], tags };
}
