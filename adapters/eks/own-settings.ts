import type { AutoScalingGroup, TagDescription } from '@aws-sdk/client-auto-scaling';
import type { Nodegroup } from '@aws-sdk/client-eks';
import { suspendedSettings } from './settings-tag.ts';

const daySec = 24 * 3_600;

/**
 * Settings of the Auto Scaling group that EKS does not make and a clone of the node group does not have: processes that others have suspended, tags, and
 * what else DescribeAutoScalingGroups tells and EKS leaves alone. Lifecycle hooks, scaling policies and scheduled actions are not among it (Auto Scaling
 * API reference, AutoScalingGroup).
 */
export function ownSettings(cluster: string, nodegroup: Nodegroup, group: AutoScalingGroup): readonly string[] {
  const ours = suspendedSettings(nodegroup) ?? [];
  const suspended = (group.SuspendedProcesses ?? []).flatMap(({ ProcessName: name }) => name ?? []);
  const tags = (group.Tags ?? []).filter((tag) => !isOfEks(tag, cluster));
  return [
    ...suspended.filter((name) => !ours.includes(name)).map((name) => `${name} suspended`),
    ...tags.map(({ Key, Value }) => `tag ${Key}=${Value ?? ''}`),
    ...explainLifetime(group),
    ...(group.NewInstancesProtectedFromScaleIn === true ? ['new instances protected from scale-in'] : []),
  ].toSorted();
}

/** Tags by which EKS and the cluster autoscaler know the group (EKS user guide, "Managed node groups"). AWS reserves `aws:`. */
function isOfEks({ Key: key = '' }: TagDescription, cluster: string): boolean {
  const known = ['enabled', cluster].map((name) => `k8s.io/cluster-autoscaler/${name}`);
  return /^(?:aws:|eks:|kubernetes\.io\/cluster\/)/.test(key) || known.includes(key);
}

function explainLifetime({ MaxInstanceLifetime: lifetimeSec = 0 }: AutoScalingGroup): readonly string[] {
  return lifetimeSec === 0 ? [] : [`maximum instance lifetime ${Math.round(lifetimeSec / daySec)} d`];
}
