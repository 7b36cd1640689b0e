import type { PoolRef } from '../../core/model/pool.ts';

/** How messages name a pool. */
export function poolSubject(ref: PoolRef): string {
  return `pool ${ref.cluster}/${ref.name}`;
}

/** Full name of the location: a region, or the zone of a zonal cluster. */
export function locationName(project: string, { region }: PoolRef): string {
  return `projects/${project}/locations/${region}`;
}

export function clusterName(project: string, ref: PoolRef): string {
  return `${locationName(project, ref)}/clusters/${ref.cluster}`;
}

export function poolName(project: string, ref: PoolRef): string {
  return `${clusterName(project, ref)}/nodePools/${ref.name}`;
}

/** Name of the maintenance exclusion that keeps upgrades of nodes away from the pool. It is one of the whole cluster. */
export function exclusionName(ref: PoolRef): string {
  return `nodeferry-${ref.name}`;
}
