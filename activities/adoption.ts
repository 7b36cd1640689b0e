import type { ClusterFacts } from '../core/model/serving.ts';
import { type Adoption, type AdoptionAction, decideAdoption, decideUpkeep } from '../core/pod-surge/adoption.ts';
import { executePodAction } from '../operations/execute-pod-action.ts';
import type { Cluster } from '../ports/cluster.ts';

/** What is given back: everything, if it says nothing else. */
export interface AdoptionScope {
  readonly isAsked?: (act: AdoptionAction) => boolean;
  /** Name of a pool whose cordoned nodes go: pods on them don't come back. */
  readonly leaving?: string;
}

/** The acts that give released pods back. Each may be repeated, and none hurts a pod that serves. */
export function createAdoption(cluster: Cluster) {
  return {
    /** Does what can be done now, of all pods or of those that are asked for; answers that, and what more will come. */
    adoptNow: async (
      facts: ClusterFacts,
      run: string,
      { isAsked = () => true, leaving }: AdoptionScope = {},
    ): Promise<Pick<Adoption, 'acts' | 'awaited'>> => {
      const { acts, awaited } = decideAdoption(facts, run, leaving);
      const asked = acts.filter(isAsked);
      await carryOut(asked, run);
      return { acts: asked, awaited };
    },

    /** Does what is put right in every look, also where nothing is given back. */
    keepUp: async (facts: ClusterFacts, run: string): Promise<Pick<Adoption, 'acts' | 'awaited'>> => {
      const upkeep = decideUpkeep(facts, run);
      await carryOut(upkeep.acts, run);
      return upkeep;
    },
  };

  async function carryOut(acts: readonly AdoptionAction[], run: string): Promise<void> {
    for (const act of acts) await executePodAction(cluster, act, run);
  }
}
