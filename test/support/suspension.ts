import type { SuspensionToken } from '../../core/model/pool.ts';

/** A token as the adapters of EKS and GKE write it, and as recorded histories have it. */
export function tokenOf(...entries: readonly string[]): SuspensionToken {
  return entries as unknown as SuspensionToken;
}

/** What such a token says. */
export function entriesOf(token: SuspensionToken | undefined): readonly string[] {
  return (token ?? []) as unknown as readonly string[];
}
