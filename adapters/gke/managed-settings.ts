/** Labels and taints of nodes that GKE tells with those of the pool's owner, and sets itself. */
import type { protos } from '@google-cloud/container';
import type { NodePoolMessage } from './settings-label.ts';

type Taint = protos.google.container.v1.INodeTaint;

/** What GKE Sandbox gives its nodes, as a label and as a taint. */
const sandboxKey = 'sandbox.gke.io/runtime';

/**
 * Labels without those that only GKE may set: "Node labels with key "sandbox.gke.io/runtime" are managed by GKE and must not be manually specified",
 * earlier "reserved for gke sandbox" (crossplane-contrib/provider-gcp pull request 187; terraform-google-modules/terraform-google-kubernetes-engine issue 252).
 */
export function settableLabels<Value>(
  pool: NodePoolMessage,
  labels: Readonly<Record<string, Value>>,
): Record<string, Value> {
  if (!isSandbox(pool)) return { ...labels };
  return Object.fromEntries(Object.entries(labels).filter(([key]) => key !== sandboxKey));
}

/**
 * Taints of the pool without those that GKE sets again. It refuses that of GKE Sandbox (crossplane-contrib/provider-gcp issue 491). That of Arm nodes it
 * "places on all Arm nodes" unless the pool is to have none (GKE documentation, "Prepare to deploy an Arm workload in a Standard cluster";
 * GoogleCloudPlatform/magic-modules pull request 7016); whether it may be sent is not told. Others it takes, such as `nvidia.com/gpu`, although it adds
 * them too (hashicorp/terraform-provider-google issue 7928).
 */
export function settableTaints(pool: NodePoolMessage): Taint[] {
  return (pool.config?.taints ?? []).filter(
    (taint) => !(isSandbox(pool) && taint.key === sandboxKey) && !isArmDefault(pool, taint),
  );
}

function isSandbox({ config }: NodePoolMessage): boolean {
  return config?.sandboxConfig !== undefined && config.sandboxConfig !== null;
}

function isArmDefault({ config }: NodePoolMessage, { key, value, effect }: Taint): boolean {
  if (config?.taintConfig?.architectureTaintBehavior === 'NONE') return false;
  return key === 'kubernetes.io/arch' && value === 'arm64' && effect === 'NO_SCHEDULE';
}
