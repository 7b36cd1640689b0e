import { readFileSync } from 'node:fs';

/** The version in package.json, both in the source tree and in a build; `unknown` when it has none. */
export function readVersion(): string {
  const name = import.meta.url.endsWith('.ts') ? '../../package.json' : '../../../package.json';
  const manifest: unknown = JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version);
  return 'unknown';
}
