/** A volume that is attached to a node: as long as the VolumeAttachment is there, detaching has not ended. */
export interface VolumeAttachmentFacts {
  readonly node: string;
  /**
   * PersistentVolume that is attached; undefined for a volume that stands in the pod itself (`inlineVolumeSpec`, in-tree volumes that were
   * migrated to CSI).
   */
  readonly volume: string | undefined;
  /** Name of the VolumeAttachment. */
  readonly name: string;
}

/** What a PersistentVolumeClaim says. */
export interface VolumeClaimFacts extends VolumeClaimRef {
  /** PersistentVolume that it is bound to; undefined until it is. */
  readonly volume: string | undefined;
  /** Any number of nodes may mount the volume (access mode ReadWriteMany or ReadOnlyMany). */
  readonly isShared: boolean;
}

/** A PersistentVolumeClaim, by the names under which it is asked for. */
export interface VolumeClaimRef {
  readonly namespace: string;
  readonly name: string;
}
