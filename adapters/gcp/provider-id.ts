/** A VM by what tells it from all others of a project. */
interface VmName {
  readonly name: string;
  /** Undefined where only the name is known, which is unique among the VMs of node pools. */
  readonly zone: string | undefined;
}

/**
 * The VM of a Node: the whole provider ID (`gce://project/zone/name`, which the cloud controller manager writes into `spec.providerID`), or its last
 * part, the name. A name says nothing about which VM it is when a managed instance group has created it again: that one has another numeric ID.
 */
export function parseVmName(instanceId: string): VmName {
  const [, zone, name] = /^gce:\/\/[^/]+\/([^/]+)\/([^/]+)$/.exec(instanceId) ?? [];
  return name === undefined ? { name: instanceId, zone: undefined } : { name, zone };
}

/** Where a cluster is: its project, and the region of its nodes. */
interface Place {
  readonly project: string;
  readonly region: string;
}

/** The place that provider IDs name, `gce://project/zone/name`; undefined when none is of Google. A cluster is in one project and one region. */
export function findPlace(providerIds: readonly string[]): Place | undefined {
  for (const providerId of providerIds) {
    const [, project, region] = /^gce:\/\/([^/]+)\/([^/]+)-[^/-]+\/[^/]+$/.exec(providerId) ?? [];
    if (project !== undefined && region !== undefined) return { project, region };
  }
  return undefined;
}
