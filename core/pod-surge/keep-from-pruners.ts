/**
 * Annotations that keep Argo CD from deleting a pod without owner, with the option in each that does. With label tracking Argo CD regards
 * every object that has its label and no owner as part of the application, finds it in no manifest, and deletes it if automatic pruning is
 * on (argo-cd 37ee009, gitops-engine/pkg/cache/cluster.go, GetManagedLiveObjs; controller/state.go, RequiresPruning). It reads the annotation
 * of the live object (sync_context.go, isPruningDisabled). Without Argo CD they have no effect.
 */
const keptBy: Readonly<Record<string, string>> = {
  'argocd.argoproj.io/sync-options': 'Prune=false',
  'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
};

/** Original values of annotations by name. null for one that did not exist. */
export type AnnotationsBefore = Readonly<Record<string, string | null>>;

/** Present annotations of an object. */
type Annotations = Readonly<Record<string, string>>;

/** The annotations to set on a pod that loses its owner, and their original values. `known` has the values that were recorded when it lost the owner or a label of it before. */
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

/** The annotation values to restore, null to remove one. An annotation that somebody has changed since is left out. */
export function returnToPruners(annotations: Annotations, before: AnnotationsBefore): AnnotationsBefore {
  return Object.fromEntries(
    Object.entries(before).filter(
      ([key, value]) => keptBy[key] !== undefined && annotations[key] === withWord(key, value),
    ),
  );
}

/** The options in an annotation are separated by commas. Blanks around them have no meaning (Argo CD user guide, "Sync Options"). */
function withWord(key: string, value: string | null): string {
  const word = keptBy[key] ?? '';
  const words = (value ?? '').split(',').map((one) => one.trim());
  if (value !== null && words.includes(word)) return value;
  return value === null || value.trim() === '' ? word : `${value},${word}`;
}
