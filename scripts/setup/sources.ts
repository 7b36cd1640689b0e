import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import { shortHash } from './cache.ts';

/** Root folder of the project. */
export const projectRoot = join(import.meta.dirname, '..', '..');

/** Folder of the Go module that builds Kubernetes, etcd, kubectl and the AWS cloud controller manager. */
export const kubernetesSource = join(projectRoot, 'lab', 'kubernetes');

/** Folder of the Go module of the lab's own small programs. */
export const agentsSource = join(projectRoot, 'lab', 'agents');

/** Folder of the Go module that pins krew. */
export const krewSource = join(projectRoot, 'scripts', 'setup', 'krew');

/** Folder of the Go module that pins oauth2-proxy. */
export const oauth2ProxySource = join(projectRoot, 'scripts', 'setup', 'oauth2-proxy');

/** Folder of the Go module that builds the controllers of GKE. */
export const googleControllersSource = join(projectRoot, 'lab', 'google-controllers');

/** Hash of the names and contents of everything that a Go build of the folder reads. */
export function goSourceHash(directory: string, extra: readonly string[]): string {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isBuildInput(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return shortHash([...extra, ...files.flatMap((file) => [relative(directory, file), readFileSync(file)])]);
}

function isBuildInput(name: string): boolean {
  return name === 'go.mod' || name === 'go.sum' || (name.endsWith('.go') && !name.endsWith('_test.go'));
}

/** Names of the programs under `cmd/` of a Go module, sorted; each is one executable. */
export function goCommands(directory: string): string[] {
  return readdirSync(join(directory, 'cmd'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && hasGoFile(join(directory, 'cmd', entry.name)))
    .map((entry) => entry.name)
    .sort();
}

function hasGoFile(directory: string): boolean {
  return readdirSync(directory).some((name) => name.endsWith('.go') && !name.endsWith('_test.go'));
}
