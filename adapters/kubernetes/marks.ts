import type { NodeClaim } from '../../core/model/node.ts';

/** Label that takes a node out of load balancers (kubernetes.io well-known labels). */
export const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';

/** Annotation on a node: the run that cordoned it. */
export const cordonedByAnnotation = 'nodeferry.dev/cordoned-by';

/** Annotation on a node: the run that set the exclude label. */
export const excludedByAnnotation = 'nodeferry.dev/excluded-by';

/** Annotation on a node: the run that set the retiring taint. */
export const retiringByAnnotation = 'nodeferry.dev/retiring-by';

/** Annotation on a node: the attempt of a step that acts on it, as `run round.step.attempt`. */
export const claimAnnotation = 'nodeferry.dev/claim';

/** Key of the taint (effect NoSchedule) that keeps DaemonSets from a node that is about to go. */
export const retiringTaint = 'nodeferry.dev/retiring';

/** Annotation on a pod that was taken out of its Services' endpoints: JSON of an UnlistedMark. */
export const unlistedAnnotation = 'nodeferry.dev/unlisted';

/** Who unlisted a pod, and the labels that were removed for it. */
export interface UnlistedMark {
  readonly by: string;
  readonly originalLabels: Readonly<Record<string, string>>;
}

/** The text of a claim. */
export function formatClaim({ run, round, step, attempt }: NodeClaim): string {
  return `${run} ${round}.${step}.${attempt}`;
}

/** Reads the text of a claim; undefined when there is none, or none of ours. */
export function parseClaim(text: string | undefined): NodeClaim | undefined {
  const [, run, ...numbers] = /^(\S+) (\d+)\.(\d+)\.(\d+)$/.exec(text ?? '') ?? [];
  const [round, step, attempt] = numbers.map(Number);
  if (run === undefined || round === undefined || step === undefined || attempt === undefined) return undefined;
  return { run, round, step, attempt };
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
