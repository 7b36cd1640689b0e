import type { RunStatus } from './status.ts';

/** What has happened to the nodes of a run that are done. */
export function doneWord({ drain }: Pick<RunStatus, 'drain'>): string {
  if (drain === undefined) return 'replaced';
  return drain === 'keep' ? 'drained' : 'removed';
}
