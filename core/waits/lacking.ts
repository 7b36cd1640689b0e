import { isReadyEndpoint, podsOf } from '../model/endpoints.ts';
import { isActive, type PodFacts } from '../model/pod.ts';
import type { ServiceFacts } from '../model/service.ts';
import type { ClusterFacts } from '../model/serving.ts';
import { count, listNames } from '../text/format.ts';

/**
 * Names whoever a Service waits for that needs so many ready endpoints that do not go with their node. It is appended to a reason, and is empty when
 * nobody can be named.
 */
export function noteLacking(service: ServiceFacts, needs: number, cluster: ClusterFacts): string {
  const pods = podsOf(service, cluster).filter((pod) => isStaying(pod) && pod.ownerKind !== 'DaemonSet');
  const unready = noteUnready(pods, needs);
  if (unready !== '') return unready;
  const absent = pods.filter((pod) => !isReadyEndpoint(pod, service));
  if (absent.length === 0) return '';
  return `; ready, but not listed as endpoints: ${listNames(absent.map(describePlace))} (${describeRetry(service)})`;
}

/**
 * What makes the endpoint slice controller retry the Service: a change of it, each time another one. By itself the controller may pause
 * for up to 1,000 s after failures. An outage of the API server is enough: its cache is behind then, and each change of a pod meanwhile counts as
 * a failure (kubernetes pkg/controller/endpointslice/endpointslice_controller.go, `handleErr`, `maxSyncBackOff`). In the lab two Services were without
 * endpoints for 8 minutes with all their pods ready, until this command.
 */
function describeRetry({ key }: ServiceFacts): string {
  const [namespace = '', name = ''] = key.split('/');
  return `retried at once after kubectl annotate --overwrite -n ${namespace} service ${name} tried="$(date)"`;
}

/**
 * Says why so many pods are not ready yet: one of them cannot be scheduled, some are not ready, or their controller has not created all. It is
 * appended to a reason, and is empty when all are ready.
 */
export function noteUnready(pods: readonly PodFacts[], needs: number): string {
  const staying = pods.filter(isStaying);
  const unready = staying.filter(({ ready }) => !ready);
  const stuck = unready.find((pod) => pod.unschedulableReason !== undefined);
  if (stuck !== undefined) return `; pod ${stuck.name} cannot be scheduled: ${stuck.unschedulableReason ?? ''}`;
  // One that has been unready for long, such as a standby, is hardly the one that is waited for.
  const since = ({ unreadySince = Number.MAX_VALUE }: PodFacts) => unreadySince;
  const named = unready.toSorted((a, b) => since(b) - since(a)).map(describeUnready);
  if (named.length > 0) return `; not ready: ${listNames(named)}`;
  const missing = needs - staying.length;
  return missing > 0 ? `; ${count(missing, 'pod')} not created yet` : '';
}

/** Neither terminates nor has run to its end, and no run has taken it out of its endpoints. */
function isStaying(pod: PodFacts): boolean {
  return isActive(pod) && pod.endpointsRemoved === undefined;
}

function describeUnready(pod: PodFacts): string {
  const gate = pod.closedGate === undefined ? '' : ` (readiness gate ${pod.closedGate})`;
  return `${describePlace(pod)}${gate}`;
}

function describePlace({ name, node }: PodFacts): string {
  return node === undefined ? `${name} (not scheduled)` : `${name} on ${node}`;
}
