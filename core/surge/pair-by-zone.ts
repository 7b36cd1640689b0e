import type { NodeRef } from '../model/node.ts';
import { countByZone } from '../plan/balance.ts';

/** Old nodes that are to go, and what is there in their stead. */
export interface RoomQuestion {
  /** Old nodes that are to go, in their order. */
  readonly waiting: readonly NodeRef[];
  /** Old nodes that have ended. */
  readonly ended: readonly NodeRef[];
  /** New nodes that are there. */
  readonly fresh: readonly NodeRef[];
}

/**
 * Chooses the old nodes that the new ones have room for: one for each that does not stand in for an ended one, of the same zone, because
 * zonal volumes and load balancers that stay within their zone follow no pod elsewhere. Where no zone has both, the zones of the old pool were
 * lopsided, which those of the new one are not: then the first in the order go.
 */
export function pairByZone({ waiting, ended, fresh }: RoomQuestion): readonly NodeRef[] {
  const free = fresh.length - ended.length;
  if (free <= 0) return [];
  const room = new Map(countByZone(fresh, []));
  for (const [zone, taken] of countByZone(ended, [])) room.set(zone, (room.get(zone) ?? 0) - taken);
  const chosen: NodeRef[] = [];
  for (const node of waiting) {
    const left = room.get(node.zone) ?? 0;
    if (left <= 0 || chosen.length >= free) continue;
    room.set(node.zone, left - 1);
    chosen.push(node);
  }
  return chosen.length > 0 ? chosen : waiting.slice(0, free);
}
