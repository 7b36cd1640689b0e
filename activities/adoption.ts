import type { ClusterFacts } from '../core/model/serving.ts';
import {
  type Adoption,
  type AdoptionAction,
  type AdoptionLimits,
  decideAdoption,
  decideUpkeep,
} from '../core/pod-surge/adoption.ts';
import { executePodAction } from '../operations/execute-pod-action.ts';
import type { PodActions } from '../ports/cluster/pod-actions.ts';

/** Which pods are adopted: all released ones unless it says otherwise. */
interface AdoptionScope extends AdoptionLimits {
  readonly isAsked?: (action: AdoptionAction) => boolean;
}

/** The actions that return released pods to their ReplicaSets. Each is safe to repeat, and none affects a pod that serves. */
export function createAdoption(cluster: PodActions) {
  return {
    /** Does what can be done now, for all pods or those that are asked for. Returns those actions, and what is still awaited. */
    adoptNow: async (
      facts: ClusterFacts,
      run: string,
      { isAsked = () => true, ...limits }: AdoptionScope = {},
    ): Promise<Pick<Adoption, 'actions' | 'awaited'>> => {
      const { actions, awaited } = decideAdoption(facts, run, limits);
      const asked = actions.filter(isAsked);
      await execute(asked, run);
      return { actions: asked, awaited };
    },

    /** Does what every poll maintains, also where no pod is adopted. */
    keepUp: async (facts: ClusterFacts, run: string): Promise<Pick<Adoption, 'actions' | 'awaited'>> => {
      const upkeep = decideUpkeep(facts, run);
      await execute(upkeep.actions, run);
      return upkeep;
    },
  };

  async function execute(actions: readonly AdoptionAction[], run: string): Promise<void> {
    for (const action of actions) await executePodAction(cluster, action, run);
  }
}
