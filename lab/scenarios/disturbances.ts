import type { Scenario } from '../scenario.ts';
import {
  agent,
  deregisteredAfter,
  insideProber,
  onWeb,
  quickDelays,
  shortLived,
  systemNodegroup,
  unreadyFile,
  webAndApi,
  webNodegroup,
} from './parts.ts';

const base: Omit<Scenario, 'name' | 'summary' | 'zones' | 'nodegroups' | 'objects'> = {
  region: 'eu-west-1',
  clusterName: 'lab',
  version: '1.36',
  delays: quickDelays,
  // By default a load balancer resets the connections of a target that becomes unhealthy. Every target whose pods a rollout moves away does.
  targetGroups: deregisteredAfter(10, ['web', 'api']).map(({ service, attributes }) => ({
    service,
    attributes: { ...attributes, 'target_health_state.unhealthy.connection_termination.enabled': 'false' },
  })),
};

const twoZones = ['eu-west-1a', 'eu-west-1b'] as const;
const threeZones = [...twoZones, 'eu-west-1c'] as const;

/** Four old nodes in two zones, whose pods can be made unready: for everything that happens during an upgrade. */
export const disturbancesScenario: Scenario = {
  ...base,
  name: 'disturbances',
  summary: 'four old nodes in two zones, built to be disturbed',
  zones: twoZones,
  nodegroups: [webNodegroup(4), systemNodegroup()],
  objects: [...webAndApi(4, shortLived, { web: unreadyFile('web') }), ...agent(), insideProber()],
};

/** Two nodes in each of three zones. */
export const threeZonesScenario: Scenario = {
  ...base,
  name: 'three-zones',
  summary: 'six old nodes in three zones',
  zones: threeZones,
  nodegroups: [webNodegroup(6), systemNodegroup()],
  objects: [...webAndApi(6, shortLived), ...agent(), insideProber()],
};

/** Two pools of two nodes each, one in each of two zones, behind the same Services. */
export const twoPoolsScenario: Scenario = {
  ...base,
  name: 'two-pools',
  summary: 'two old pools of two nodes each behind the same load balancers',
  zones: twoZones,
  nodegroups: [webNodegroup(2), { ...webNodegroup(2), name: 'blue', labels: onWeb }, systemNodegroup()],
  objects: [...webAndApi(4, shortLived), ...agent(), insideProber()],
};

/**
 * One old node and one endpoint of each Service in each zone, cross-zone off: an upgrade without pod surge is refused here. `requiresZones`: pods
 * must be spread over the zones (DoNotSchedule), and released ones count.
 */
export function oneEndpointPerZone(zones: 2 | 3, { requiresZones = false } = {}): Scenario {
  return {
    ...base,
    name: `one-per-zone-${zones}${requiresZones ? '-required' : ''}`,
    summary: `one old node in each of ${zones} zones, with one pod of each Service`,
    zones: threeZones.slice(0, zones),
    nodegroups: [webNodegroup(zones), systemNodegroup()],
    objects: [...webAndApi(zones, shortLived, { requiresZones }), ...agent(), insideProber()],
  };
}
