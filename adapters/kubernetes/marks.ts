/** Label that takes a node out of load balancers (kubernetes.io well-known labels). */
export const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';

/** Annotation on a node: the run that cordoned it. */
export const cordonedByAnnotation = 'nodeferry.dev/cordoned-by';

/** Annotation on a node: the run that set the exclude label. */
export const excludedByAnnotation = 'nodeferry.dev/excluded-by';

/** Annotation on a node: the run that set the retiring taint. */
export const retiringByAnnotation = 'nodeferry.dev/retiring-by';

/** Key of the taint (effect NoSchedule) that keeps DaemonSets from a node that is about to go. */
export const retiringTaint = 'nodeferry.dev/retiring';

/** Annotation on a pod that was taken out of its Services' endpoints: JSON of an UnlistedMark. */
export const unlistedAnnotation = 'nodeferry.dev/unlisted';

/** Who unlisted a pod, and the labels that were removed for it. */
export interface UnlistedMark {
  readonly by: string;
  readonly originalLabels: Readonly<Record<string, string>>;
}

/** Reads the annotation of an unlisted pod; undefined when there is none, or none of ours. */
export function parseUnlistedMark(text: string | undefined): UnlistedMark | undefined {
  if (text === undefined) return undefined;
  try {
    const { by, originalLabels } = JSON.parse(text) as Partial<UnlistedMark>;
    if (typeof by !== 'string' || typeof originalLabels !== 'object' || originalLabels === null) return undefined;
    return { by, originalLabels };
  } catch {
    return undefined;
  }
}
