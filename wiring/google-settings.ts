import type { GcpOptions } from '../adapters/gcp/options.ts';

/** What the environment says about Google Cloud, and how long a caller waits for its answers. */
export interface GoogleSettings
  extends Pick<GcpOptions, 'gkeEndpoint' | 'computeUrl' | 'resourceManagerUrl' | 'callTimeoutMs'> {
  /** Project of the clusters whose policy names none. Absent: that of the credentials. */
  readonly project?: string;
}
