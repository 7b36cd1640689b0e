import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { agents } from './agents.ts';
import { SetupError } from './errors.ts';
import { findGo, type GoToolchain } from './go.ts';
import { kubernetesDirectory } from './kubernetes.ts';
import { temporalPath } from './temporal.ts';

/** Absolute paths of the executables that the setup provides. */
export interface ToolPaths {
  /** Folder with `etcd`, `kube-apiserver`, `kube-controller-manager`, `kube-scheduler`, `kubelet` and `kube-proxy`. */
  readonly hyperkube: string;
  readonly etcd: string;
  readonly kubeApiserver: string;
  readonly kubeControllerManager: string;
  readonly kubeScheduler: string;
  readonly kubelet: string;
  /** The same kubelet, stamped with the version of the old nodes (`oldKubernetesVersion`). */
  readonly kubeletOld: string;
  readonly kubeProxy: string;
  readonly kubectl: string;
  /** The AWS cloud controller manager. */
  readonly ccm: string;
  /** The Temporal command line with its development server. */
  readonly temporal: string;
  /** The application that the lab's pods run: a static executable. */
  readonly app: string;
  /** The traffic prober: a static executable. */
  readonly prober: string;
}

/** Where the tools are, or would be after the setup. Throws a SetupError when not even Go is installed. */
export function toolPaths(): ToolPaths {
  const go = findGo();
  if (go === undefined) throw notSetUp(['go']);
  return { ...kubernetesPaths(go), temporal: temporalPath(), ...agentPaths(go) };
}

/** Throws a SetupError that names what is missing, unless every tool is installed. */
export function assertTools(): void {
  const missing = Object.values(toolPaths()).filter((path) => !existsSync(path));
  if (missing.length > 0) throw notSetUp(missing);
}

function kubernetesPaths(go: GoToolchain) {
  const directory = kubernetesDirectory(go);
  return {
    hyperkube: directory,
    etcd: join(directory, 'etcd'),
    kubeApiserver: join(directory, 'kube-apiserver'),
    kubeControllerManager: join(directory, 'kube-controller-manager'),
    kubeScheduler: join(directory, 'kube-scheduler'),
    kubelet: join(directory, 'kubelet'),
    kubeletOld: join(directory, 'old', 'kubelet'),
    kubeProxy: join(directory, 'kube-proxy'),
    kubectl: join(directory, 'kubectl'),
    ccm: join(directory, 'aws-cloud-controller-manager'),
  };
}

function agentPaths(go: GoToolchain) {
  const directory = agents.directory(go);
  return { app: join(directory, 'app'), prober: join(directory, 'prober') };
}

function notSetUp(missing: readonly string[]): SetupError {
  return new SetupError(`Not set up yet: ${missing.join(', ')}.`, 'Run `npm run setup`.');
}
