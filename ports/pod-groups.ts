import type { PodGroupsFacts } from '../core/model/service.ts';

/** The groups of pods that a controller of load balancers names in the annotations of a Service; undefined where it names none. Pure. */
export type PodGroupsReader = (annotations: Readonly<Record<string, string>>) => PodGroupsFacts | undefined;
