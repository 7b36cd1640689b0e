import type { V1Endpoint, V1EndpointSlice, V1Service } from '@kubernetes/client-node';

import type { EndpointFacts, ServiceFacts } from '../../core/model/service.ts';
import type { PodGroupsReader } from '../../ports/pod-groups.ts';
import { trafficFacts } from './map-service-traffic.ts';
import { writtenBy } from './map-written-by.ts';

const serviceNameLabel = 'kubernetes.io/service-name';

/** A Service before its endpoints are added. */
export type MappedService = Omit<ServiceFacts, 'endpoints'>;

/** The part of an EndpointSlice that is kept. */
export interface MappedSlice {
  /** `namespace/name` of its Service. */
  readonly service: string;
  readonly endpoints: readonly MappedEndpoint[];
}

/** An endpoint with the identity by which it is recognized in other slices. */
interface MappedEndpoint {
  /** UID of its pod, else its first address. */
  readonly identity: string;
  readonly facts: EndpointFacts;
}

/** The facts in a Service object; undefined for ExternalName. The endpoints of one without a selector are written by somebody else. */
export function serviceFacts(service: V1Service, readPodGroups: PodGroupsReader): MappedService | undefined {
  const { metadata, spec, status } = service;
  const type = spec?.type ?? 'ClusterIP';
  const selector = spec?.selector ?? {};
  if (type !== 'LoadBalancer' && type !== 'NodePort' && type !== 'ClusterIP') return undefined;
  const podGroups = readPodGroups(metadata?.annotations ?? {});
  return {
    key: `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`,
    type,
    externalTrafficPolicy: spec?.externalTrafficPolicy === 'Local' ? 'Local' : 'Cluster',
    internalTrafficPolicy: spec?.internalTrafficPolicy === 'Local' ? 'Local' : 'Cluster',
    selector,
    healthCheckNodePort: spec?.healthCheckNodePort ?? 0,
    nodePorts: (spec?.ports ?? []).flatMap(({ nodePort }) =>
      nodePort === undefined || nodePort === 0 ? [] : [nodePort],
    ),
    hostnames: (status?.loadBalancer?.ingress ?? []).flatMap(({ hostname, ip }) => hostname ?? ip ?? []),
    publishNotReadyAddresses: spec?.publishNotReadyAddresses ?? false,
    ...trafficFacts(service),
    ...writtenBy(metadata),
    ...(podGroups && { podGroups }),
  };
}

/** The facts in an EndpointSlice object; undefined for one that belongs to no Service. */
export function sliceFacts(slice: V1EndpointSlice): MappedSlice | undefined {
  const name = slice.metadata?.labels?.[serviceNameLabel];
  if (name === undefined) return undefined;
  return { service: `${slice.metadata?.namespace ?? ''}/${name}`, endpoints: (slice.endpoints ?? []).map(endpointOf) };
}

/**
 * One list of endpoints from all slices of a Service. A pod that is in several slices (IPv4 and IPv6, or a move between slices in progress) counts
 * once, with the least available of their conditions.
 */
export function mergeEndpoints(slices: readonly MappedSlice[]): EndpointFacts[] {
  const merged = new Map<string, EndpointFacts>();
  for (const { identity, facts } of slices.flatMap(({ endpoints }) => endpoints)) {
    const other = merged.get(identity);
    merged.set(identity, other === undefined ? facts : leastAvailable(other, facts));
  }
  return [...merged.values()];
}

function leastAvailable(one: EndpointFacts, other: EndpointFacts): EndpointFacts {
  return {
    ...one,
    ready: one.ready && other.ready,
    serving: one.serving && other.serving,
    terminating: one.terminating || other.terminating,
  };
}

/** Unset conditions mean ready; serving the same as ready; not terminating (discovery/v1 EndpointConditions). */
function endpointOf({ targetRef, nodeName, conditions, addresses }: V1Endpoint): MappedEndpoint {
  const pod = targetRef?.kind === 'Pod' ? targetRef : undefined;
  const ready = conditions?.ready ?? true;
  return {
    identity: pod?.uid ?? addresses[0] ?? '',
    facts: {
      podUid: pod?.uid,
      podName: pod?.name,
      node: nodeName,
      ready,
      serving: conditions?.serving ?? ready,
      terminating: conditions?.terminating ?? false,
    },
  };
}
