import type { V1ObjectMeta } from '@kubernetes/client-node';

/** Annotations and labels by which tools mark the objects that they write, the tool that has the last word first. */
const marks: readonly (readonly [tool: string, from: 'annotations' | 'labels', key: string])[] = [
  // argo-cd common/common.go, AnnotationKeyAppInstance.
  ['Argo CD', 'annotations', 'argocd.argoproj.io/tracking-id'],
  // Flux docs, Kustomization and HelmRelease: labels of the objects that they apply.
  ['Flux', 'labels', 'kustomize.toolkit.fluxcd.io/name'],
  ['Flux', 'labels', 'helm.toolkit.fluxcd.io/name'],
  // helm pkg/action/validate.go, helmReleaseNameAnnotation.
  ['Helm', 'annotations', 'meta.helm.sh/release-name'],
];

/** The tool that writes an object from a source of its own, as far as its labels and annotations say. */
export function writtenBy(metadata: V1ObjectMeta | undefined): { readonly writtenBy?: string } {
  const [tool] = marks.find(([, from, key]) => metadata?.[from]?.[key] !== undefined) ?? [];
  return tool === undefined ? {} : { writtenBy: tool };
}
