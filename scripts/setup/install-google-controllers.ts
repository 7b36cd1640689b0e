import { join } from 'node:path';
import { ensureTools } from './ensure.ts';
import { SetupError } from './errors.ts';
import { findGo } from './go.ts';
import { googleControllers } from './google-controllers.ts';

/** Absolute paths of the controllers that a GKE cluster has for its load balancers. */
export interface GoogleControllerPaths {
  /** The GCE cloud controller manager: target pools, instance groups of internal load balancers. */
  readonly cloudControllerManager: string;
  /** ingress-gce: backend services with network endpoint groups. */
  readonly glbc: string;
}

/** Builds the controllers where they are missing. Not part of the setup, because it takes minutes and few need it. */
export async function installGoogleControllers(signal?: AbortSignal): Promise<GoogleControllerPaths> {
  await ensureTools({ need: ['google-controllers'], ...(signal && { signal }) });
  const go = findGo();
  if (go === undefined) throw new SetupError('Go is missing.', 'Install Go 1.26 or later.');
  const directory = googleControllers.directory(go);
  return {
    cloudControllerManager: join(directory, 'cloud-controller-manager'),
    glbc: join(directory, 'glbc'),
  };
}
