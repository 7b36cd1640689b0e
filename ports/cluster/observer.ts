import type { ClusterFacts } from '../../core/model/serving.ts';
import type { VolumeClaimFacts, VolumeClaimRef } from '../../core/model/volume.ts';

/** Reads what is in the cluster, and changes nothing. Every call may be repeated. Throws NodeferryError. */
export interface ClusterObserver {
  /** Facts from watch-backed caches that are no older than the call. */
  observe(): Promise<ClusterFacts>;
  /** The facts of these volume claims, each read separately; claims that are gone are left out. */
  readVolumeClaims(volumeClaims: readonly VolumeClaimRef[]): Promise<readonly VolumeClaimFacts[]>;
  /** Everything that still carries an ownership mark of the run, as text, e.g. `node ip-…: label exclude-from-external-load-balancers`. */
  findLeftovers(run: string): Promise<readonly string[]>;
}
