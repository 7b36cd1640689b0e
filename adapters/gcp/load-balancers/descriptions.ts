/**
 * Keys under which controllers write the Service into the description of what they create: ingress-gce for Services (pkg/utils/utils.go,
 * L4LBResourceDescription), the cloud controller manager (cloud-provider-gcp, providers/gce/gce_loadbalancer_external.go), and ingress-gce for Ingresses
 * (pkg/utils/description.go).
 */
const ingressGceKey = 'networking.gke.io/service-name';
const commonKey = 'kubernetes.io/service-name';

/** Whether something with that description was created for the Service (`namespace/name`). */
export function isFor(service: string, description: string | null | undefined): boolean {
  const named = readDescription(description);
  return [ingressGceKey, commonKey].some((key) => named[key] === service);
}

/** Whether ingress-gce created it for the Service itself. */
export function isOfIngressGce(service: string, description: string | null | undefined): boolean {
  return readDescription(description)[ingressGceKey] === service;
}

/** Whether it was created for a port of the Service behind an Ingress. */
export function isOfIngress(service: string, description: string | null | undefined): boolean {
  return readDescription(description)[commonKey] === service;
}

function readDescription(text: string | null | undefined): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text ?? '');
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
