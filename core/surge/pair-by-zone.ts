import type { NodeRef } from '../model/node.ts';
import { countByZone } from './balance.ts';

/** The old nodes that will leave, and the new nodes that replace them. */
interface RoomQuestion {
  /** Old nodes that will leave, in order. */
  readonly waiting: readonly NodeRef[];
  /** Old nodes that have terminated. */
  readonly ended: readonly NodeRef[];
  /** New nodes that have joined. */
  readonly fresh: readonly NodeRef[];
}

/**
 * Selects the old nodes for which there is room on the new ones: one for each new node that does not yet replace a terminated one. Both must
 * be in the same zone, because zonal volumes and load balancers without cross-zone balancing do not follow a pod to another zone. If no
 * zone has both, the old pool was unbalanced across zones and the new one is not. Then the first nodes in the order are selected.
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
