/** As the APIs of EKS and GKE spell the effects of taints, and as Kubernetes does. */
const spellings = [
  ['NO_SCHEDULE', 'NoSchedule'],
  ['NO_EXECUTE', 'NoExecute'],
  ['PREFER_NO_SCHEDULE', 'PreferNoSchedule'],
] as const;

/** The effect as Kubernetes spells it; one that is unknown stays as it is. */
export function kubernetesTaintEffect(effect: unknown): string {
  return spellings.find(([cloud]) => cloud === effect)?.[1] ?? String(effect);
}

/** The effect as the clouds' APIs spell it. Throws for one that is unknown. */
export function cloudTaintEffect(effect: string): (typeof spellings)[number][0] {
  const known = spellings.find(([, kubernetes]) => kubernetes === effect);
  if (known === undefined) throw new Error(`unknown taint effect ${effect}`);
  return known[0];
}
