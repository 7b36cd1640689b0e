import { countByZone } from '../../surge/balance.ts';
import { totalOf, type ZonedSize } from '../../surge/zoned-size.ts';
import { count, listNames } from '../../text/format.ts';
import type { AuditRule } from './rule.ts';

/** INF-021: the zones of the old pool have different numbers of nodes, and the cloud does not give each zone as many new ones. */
export const inf021UnevenZones: AuditRule = ({ pool, nodes, newZones }) => {
  if (newZones === undefined) return [];
  const old: ZonedSize = Object.fromEntries(countByZone(nodes, pool.zones));
  const zones = Object.keys({ ...old, ...newZones }).toSorted();
  const told = zones.map((zone) => `${zone}: ${old[zone] ?? 0} → ${newZones[zone] ?? 0}`).join(', ');
  const short = zones.filter((zone) => (newZones[zone] ?? 0) < (old[zone] ?? 0));
  const finding = { rule: 'INF-021', severity: 'warning', subject: `pool ${pool.ref.name}` } as const;
  if (short.length > 0) {
    return [
      {
        ...finding,
        message: `its zones are uneven, and the new nodes will not be (${told}): pods that can't leave ${listNames(short)} may not fit there`,
        hint: 'Spread the nodes of the old pool evenly over its zones first. Pods that may run in any zone need nothing.',
      },
    ];
  }
  const more = totalOf(newZones) - totalOf(old);
  if (more <= 0) return [];
  return [
    {
      ...finding,
      message: `its zones are uneven, and all zones of the new pool get as many nodes as the largest needs (${told}): ${count(more, 'node')} more than the pool has`,
      hint: 'Check the quota and the costs, and scale the new pool in after the run. In waves (spec.nodeSurge below 100%), or into a pool that the run adopts (spec.target.adopt), each zone gets as many as it needs.',
    },
  ];
};
