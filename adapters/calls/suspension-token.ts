import type { SuspensionToken } from '../../core/model/pool.ts';

/** Entries of an adapter as a token, for whoever keeps them for the rollback. */
export function tokenOf(entries: readonly string[]): SuspensionToken {
  return entries as unknown as SuspensionToken;
}

/** The entries that a token has. None without one. */
export function entriesOf(token: SuspensionToken | undefined): readonly string[] {
  return (token ?? []) as unknown as readonly string[];
}
