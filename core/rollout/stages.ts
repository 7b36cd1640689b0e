import type { NodeRef } from '../model/node.ts';
import type { RolloutPolicy } from './rollout.ts';

/** Nodes that are replaced before those of the next stage begin. */
interface Stage {
  readonly nodes: readonly NodeRef[];
  /** What somebody has to approve before it begins, as text, e.g. `canary` or `zone eu-west-1b`; absent when nobody has to. */
  readonly approval?: string;
  /** Pause after it, ms. */
  readonly soakMs?: number;
}

/**
 * The stages of a run. The canary nodes come first; they are from the first zone if zones have an order. Each listed zone is a stage, and all
 * others form the last one. Within a stage the order of the plan applies. Zones without nodes are left out.
 */
export function divideIntoStages(nodes: readonly NodeRef[], rollout: RolloutPolicy | undefined): readonly Stage[] {
  if (rollout === undefined) return nodes.length === 0 ? [] : [{ nodes }];
  const { canary, zones, approvals } = rollout;
  const inOrder = [...zones.flatMap((zone) => nodes.filter((node) => node.zone === zone)), ...others(nodes, zones)];
  const ahead = inOrder.slice(0, canary?.nodes ?? 0);
  const rest = inOrder.slice(ahead.length);
  const byZone = [...zones.map((zone) => rest.filter((node) => node.zone === zone)), others(rest, zones)];
  const stages = byZone.filter((stage) => stage.length > 0);
  const needs = (point: 'canary' | 'zone') => approvals?.at.includes(point) === true;
  const first = ahead.length === 0 || canary === undefined ? [] : [{ nodes: ahead, soakMs: canary.soakMs }];
  return [
    ...first,
    ...stages.map((stage, index): Stage => {
      if (index > 0) return needs('zone') ? { nodes: stage, approval: nameOf(stage, zones) } : { nodes: stage };
      return first.length > 0 && needs('canary') ? { nodes: stage, approval: 'canary' } : { nodes: stage };
    }),
  ];
}

function others(nodes: readonly NodeRef[], zones: readonly string[]): readonly NodeRef[] {
  return nodes.filter(({ zone }) => !zones.includes(zone));
}

function nameOf(stage: readonly NodeRef[], zones: readonly string[]): string {
  const [zone, ...more] = [...new Set(stage.map((node) => node.zone))];
  return more.length === 0 && zone !== undefined ? `zone ${zone}` : `zones other than ${zones.join(', ')}`;
}
