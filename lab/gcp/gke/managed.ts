import type { protos } from '@google-cloud/container';
import { RpcError } from '../errors.ts';

type NodeConfig = protos.google.container.v1.INodeConfig;
type Taint = protos.google.container.v1.INodeTaint;

const sandboxKey = 'sandbox.gke.io/runtime';
/** Series of instances with Arm processors (Compute Engine documentation, "Arm VMs on Compute"). */
const armSeries = /^(?:t2a|c4a|n4a)-/;

/**
 * The configuration of a pool as the API returns it: with the label and the taint that GKE gives the nodes of GKE Sandbox (hashicorp/terraform issue
 * 22434), and the taint of Arm nodes, unless the pool is to have none (GKE documentation, "Prepare to deploy an Arm workload in a Standard cluster";
 * hashicorp/terraform-provider-google issue 13308).
 */
export function withManaged(config: NodeConfig | null | undefined): NodeConfig {
  const isSandbox = config?.sandboxConfig?.type === 'GVISOR';
  const taints = [...(isSandbox ? [taintOf(sandboxKey, 'gvisor')] : []), ...armTaints(config ?? {})];
  return {
    ...config,
    ...(isSandbox && { labels: { ...config?.labels, [sandboxKey]: 'gvisor' } }),
    ...(taints.length > 0 && { taints: [...(config?.taints ?? []), ...taints] }),
  };
}

function armTaints({ machineType, taintConfig, taints }: NodeConfig): Taint[] {
  const isArm = armSeries.test(machineType ?? '') && taintConfig?.architectureTaintBehavior !== 'NONE';
  const isThere = (taints ?? []).some(({ key }) => key === 'kubernetes.io/arch');
  return isArm && !isThere ? [taintOf('kubernetes.io/arch', 'arm64')] : [];
}

function taintOf(key: string, value: string): Taint {
  return { key, value, effect: 'NO_SCHEDULE' };
}

/**
 * Refuses what GKE alone sets. The text for a label was another one earlier: `Node label "sandbox.gke.io/runtime" is reserved for gke sandbox.`
 * (crossplane-contrib/provider-gcp pull request 187); that for a taint is told in issue 491 there.
 */
export function refuseManaged({ labels, taints }: Pick<NodeConfig, 'labels' | 'taints'>): void {
  const named = [
    ...(Object.hasOwn(labels ?? {}, sandboxKey) ? ['labels'] : []),
    ...((taints ?? []).some(({ key }) => key === sandboxKey) ? ['taints'] : []),
  ];
  if (named.length === 0) return;
  throw new RpcError(
    'INVALID_ARGUMENT',
    `Node ${named[0]} with key "${sandboxKey}" are managed by GKE and must not be manually specified.`,
  );
}
