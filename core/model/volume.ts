/** A volume that is attached to a node. While the VolumeAttachment exists, the volume is not detached. */
export interface VolumeAttachmentFacts {
  readonly node: string;
  /**
   * Name of the PersistentVolume. Undefined for a volume that is defined in the pod itself (`inlineVolumeSpec`, in-tree volumes that were
   * migrated to CSI).
   */
  readonly volume: string | undefined;
  /** Name of the VolumeAttachment. */
  readonly name: string;
}

/** What the API server reports about one PersistentVolumeClaim. */
export interface VolumeClaimFacts extends VolumeClaimRef {
  /** PersistentVolume to which it is bound. Undefined until it is bound. */
  readonly volume: string | undefined;
  /** Several nodes may mount the volume at the same time (access mode ReadWriteMany or ReadOnlyMany). */
  readonly isShared: boolean;
}

/** Identifies a PersistentVolumeClaim. */
export interface VolumeClaimRef {
  readonly namespace: string;
  readonly name: string;
}
