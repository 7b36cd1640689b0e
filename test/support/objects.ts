/** What tests ask of the API server's objects, and how they change them. */
import { PatchStrategy, setHeaderOptions, type V1Node, type V1Pod } from '@kubernetes/client-node';

/** Lets a patch name only the fields that it changes. */
export const mergePatch = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);

/** Whether its condition Ready holds. */
export function isReady({ status }: V1Pod | V1Node): boolean {
  const conditions: readonly { readonly type: string; readonly status: string }[] = status?.conditions ?? [];
  return conditions.some(({ type, status: holds }) => type === 'Ready' && holds === 'True');
}
