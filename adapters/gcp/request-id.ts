import { createHash } from 'node:crypto';

/** A request ID (a UUID) that is the same for the same parts, so that a request that is repeated after a crash takes effect once. */
export function requestIdOf(...parts: readonly string[]): string {
  const hex = createHash('sha256').update(parts.join('\n')).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
