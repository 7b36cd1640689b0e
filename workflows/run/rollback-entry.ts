import type { NodeRef } from '../../core/model/node.ts';
import type { PoolRef } from '../../core/model/pool.ts';

/** Something of ours that must be put back. Recorded before the act, so that an act whose answer got lost is put back too. */
export type RollbackEntry =
  | { readonly kind: 'lock' }
  | { readonly kind: 'watch' }
  | { readonly kind: 'rebalancing'; readonly pool: PoolRef; suspended: readonly string[] }
  | { readonly kind: 'new-pool' }
  | { readonly kind: 'cordons'; readonly nodes: readonly NodeRef[] }
  | { readonly kind: 'released' };
