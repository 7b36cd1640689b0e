import { decideGiveBack, type GiveBackAct } from '../core/hand-over/give-back.ts';
import type { ClusterFacts } from '../core/model/serving.ts';
import type { Cluster } from '../ports/cluster.ts';

/** What is given back: everything, if it says nothing else. */
export interface GiveBackScope {
  readonly isAsked?: (act: GiveBackAct) => boolean;
  /** Name of a pool whose cordoned nodes go: pods on them don't come back. */
  readonly leaving?: string;
}

/** The acts that give released pods back. Each may be repeated, and none hurts a pod that serves. */
export function createGiveBack(cluster: Cluster) {
  return {
    /** Does what can be done now, of all pods or of those that are asked for; answers how much, and whether more will come. */
    giveBackNow: async (
      facts: ClusterFacts,
      run: string,
      { isAsked = () => true, leaving }: GiveBackScope = {},
    ): Promise<{ readonly acts: number; readonly settling: boolean }> => {
      const { acts, settling } = decideGiveBack(facts, run, leaving);
      const asked = acts.filter(isAsked);
      for (const { kind, pod } of asked) await cluster[kind](pod, run);
      return { acts: asked.length, settling };
    },
  };
}
