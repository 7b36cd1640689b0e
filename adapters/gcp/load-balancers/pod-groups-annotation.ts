import type { PodGroupsReader } from '../../../ports/pod-groups.ts';

/** What ingress-gce writes on a Service about its network endpoint groups (ingress-gce, pkg/annotations/service.go, NegStatus). */
const statusKey = 'cloud.google.com/neg-status';

/** Key of a group of nodes among those of ports: it has none (ingress-gce, pkg/neg/types/types.go, NewPortInfoMapForVMIPNEG). */
const groupOfNodes = '0';

/** Groups of pods that are targets of load balancers themselves. Undefined where a Service has none. */
export const podGroupsOfGke: PodGroupsReader = (annotations) => {
  const { network_endpoint_groups: groups = {}, zones = [] } = readStatus(annotations[statusKey]);
  const names = Object.entries(groups).flatMap(([port, name]) => (port === groupOfNodes ? [] : [name]));
  if (names.length === 0) return undefined;
  // Since ingress-gce 2428d1cca (pkg/neg/syncers/transaction.go, "Location is not desired, forcing empty endpoints to trigger drain").
  return { names: names.toSorted(), zones: zones.toSorted(), zonesNeedCandidate: true };
};

interface Status {
  readonly network_endpoint_groups?: Readonly<Record<string, string>>;
  readonly zones?: readonly string[];
}

function readStatus(text: string | undefined): Status {
  try {
    const parsed: unknown = JSON.parse(text ?? '{}');
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
