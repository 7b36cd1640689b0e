import type { V1NodeSelectorTerm, V1PodSpec } from '@kubernetes/client-node';

type LabelValues = Readonly<Record<string, readonly string[]>>;

/**
 * Labels that a pod's node must have, with the allowed values, from its nodeSelector and its required node affinity. One of several terms is enough
 * for the scheduler, so only labels that every term requires count. Operators other than `In` are left out.
 */
export function requiredNodeLabels(spec: V1PodSpec | undefined): LabelValues | undefined {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const required = requiredLabelsOf(terms);
  for (const [label, value] of Object.entries(spec?.nodeSelector ?? {})) required[label] = [value];
  return Object.keys(required).length === 0 ? undefined : required;
}

/** The same for terms alone. */
export function requiredLabelsOf(terms: readonly V1NodeSelectorTerm[]): Record<string, readonly string[]> {
  return anyOf(terms.map(valuesOf));
}

function valuesOf(term: V1NodeSelectorTerm): LabelValues {
  const expressions = (term.matchExpressions ?? []).filter(({ operator }) => operator === 'In');
  return Object.fromEntries(expressions.map(({ key, values }) => [key, values ?? []]));
}

function anyOf([first, ...others]: readonly LabelValues[]): Record<string, readonly string[]> {
  const common = Object.entries(first ?? {}).filter(([label]) => others.every((other) => label in other));
  return Object.fromEntries(
    common.map(([label, values]) => [
      label,
      [...new Set([...values, ...others.flatMap((other) => other[label] ?? [])])],
    ]),
  );
}
