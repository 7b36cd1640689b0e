import type { ServingFacts } from './model.ts';

/** An observation that counts how often any of what it is made of is read, on average over all of it. */
export function counted(facts: ServingFacts) {
  let reads = 0;
  let parts = 0;
  const count = <T extends object>(part: T): T => {
    parts += 1;
    const getters = Object.keys(part).map((key) => [
      key,
      {
        enumerable: true,
        get: () => {
          reads += 1;
          return part[key as keyof T];
        },
      },
    ]);
    return Object.defineProperties({}, Object.fromEntries(getters)) as T;
  };
  const { cluster } = facts;
  const observation = {
    ...facts,
    cluster: {
      ...cluster,
      nodes: cluster.nodes.map(count),
      pods: cluster.pods.map((pod) => count({ ...pod, labels: count(pod.labels) })),
      services: cluster.services.map((service) => ({ ...service, endpoints: service.endpoints.map(count) })),
      budgets: cluster.budgets.map(count),
      workloads: cluster.workloads.map(count),
    },
    targetGroups: facts.targetGroups.map((group) => ({ ...group, targets: group.targets.map(count) })),
  };
  return { observation, readsPerPart: () => reads / parts };
}
