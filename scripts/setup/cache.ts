import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Folder for what the setup builds, shared by all checkouts of the user: `$XDG_CACHE_HOME/nodeferry`. */
export function cacheDirectory(): string {
  // An empty XDG_CACHE_HOME counts as unset (XDG Base Directory Specification).
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'nodeferry');
}

/** First 12 hex digits of the SHA-256 of the parts. The parts are delimited, so that moving text between them changes the hash. */
export function shortHash(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    hash.update(`${Buffer.byteLength(part)}\n`).update(part);
  }
  return hash.digest('hex').slice(0, 12);
}

/**
 * Creates a folder of the cache: `build` fills an empty temporary folder, which is then renamed to its final name, so that an interrupted build never
 * counts as complete. Call it under `withLock(name)`: leftovers of earlier attempts are removed.
 */
export async function publishDirectory(name: string, build: (directory: string) => Promise<void>): Promise<void> {
  const cache = cacheDirectory();
  mkdirSync(cache, { recursive: true });
  for (const entry of readdirSync(cache)) {
    if (entry.startsWith(`.${name}.`)) rmSync(join(cache, entry), { recursive: true, force: true });
  }
  const temporary = mkdtempSync(join(cache, `.${name}.`));
  try {
    await build(temporary);
    rmSync(join(cache, name), { recursive: true, force: true });
    renameSync(temporary, join(cache, name));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * Runs `work` while no other process of this machine runs any under the same name and cache. `onWait` is called once when another process has the
 * lock. The lock is an abstract socket, which the kernel frees however its owner ends.
 */
export async function withLock<T>(name: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
  const address = `\0nodeferry-setup-${shortHash([cacheDirectory(), name])}`;
  let release = await tryListen(address);
  if (release === undefined) onWait();
  while (release === undefined) {
    await delay(300);
    release = await tryListen(address);
  }
  try {
    return await work();
  } finally {
    release();
  }
}

function tryListen(address: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(address, () => {
      server.unref();
      resolve(() => server.close());
    });
  });
}
