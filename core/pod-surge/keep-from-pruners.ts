/**
 * Annotations that keep Argo CD from a pod without owner, and the word in each that does. With label tracking it takes every object that has
 * its label and no owner for one of the application's own, finds it in no manifest, and deletes it with a plain delete where pruning is
 * automatic (argo-cd 37ee009, gitops-engine/pkg/cache/cluster.go, GetManagedLiveObjs; controller/state.go, RequiresPruning). What counts is
 * the annotation of the live object (sync_context.go, isPruningDisabled). Where there is no Argo CD they mean nothing.
 */
const keptBy: Readonly<Record<string, string>> = {
  'argocd.argoproj.io/sync-options': 'Prune=false',
  'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
};

/** What annotations were, by their names; null for one that was not there. */
export type AnnotationsBefore = Readonly<Record<string, string | null>>;

/** Annotations of an object as they are. */
type Annotations = Readonly<Record<string, string>>;

/** The annotations to set on a pod that loses its owner, and what they were; `known` is what an earlier release has noted of them. */
export function keepFromPruners(
  annotations: Annotations,
  known: AnnotationsBefore,
): { readonly set: Annotations; readonly before: AnnotationsBefore } {
  const before = Object.keys(keptBy).map((key) => {
    const now = annotations[key];
    const isOurs = known[key] !== undefined && now === withWord(key, known[key]);
    return [key, isOurs ? (known[key] ?? null) : (now ?? null)] as const;
  });
  return {
    set: Object.fromEntries(before.map(([key, value]) => [key, withWord(key, value)])),
    before: Object.fromEntries(before),
  };
}

/** What the annotations get back, null for none; one that somebody has changed since stays as it is and is left out. */
export function returnToPruners(annotations: Annotations, before: AnnotationsBefore): AnnotationsBefore {
  return Object.fromEntries(
    Object.entries(before).filter(
      ([key, value]) => keptBy[key] !== undefined && annotations[key] === withWord(key, value),
    ),
  );
}

/** Options of one annotation are separated by commas, and blanks around them mean nothing (Argo CD user guide, "Sync Options"). */
function withWord(key: string, value: string | null): string {
  const word = keptBy[key] ?? '';
  const words = (value ?? '').split(',').map((one) => one.trim());
  if (value !== null && words.includes(word)) return value;
  return value === null || value.trim() === '' ? word : `${value},${word}`;
}
