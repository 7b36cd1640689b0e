/** What the annotation of a pod that is removed from endpoints records, and what older ones do not. */
import type { V1Pod } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import type { ChangeAccess } from '../../../adapters/kubernetes/change.ts';
import { removedLabelsAnnotation } from '../../../adapters/kubernetes/ownership-marks.ts';
import { podOperations } from '../../../adapters/kubernetes/pods.ts';

const pod = { namespace: 'default', name: 'web-1', uid: 'uid-1' };
const sync = 'argocd.argoproj.io/sync-options';
const kept = { [sync]: 'Prune=false', 'argocd.argoproj.io/compare-options': 'IgnoreExtraneous' };

/** The operations on one pod that an API server has, and the patches that it was sent. */
function openPod(
  annotations: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>>,
  answer: { readonly status: number; readonly message: string } = { status: 200, message: '' },
) {
  const patches: V1Pod['metadata'][] = [];
  const object: V1Pod = { metadata: { ...pod, resourceVersion: '7', annotations, labels } };
  const request = async ({ verb, body }: { readonly verb: string; readonly body?: V1Pod }) => {
    if (verb === 'patch') patches.push(body?.metadata);
    return { status: 200, body: object };
  };
  const sent: unknown[] = [];
  const send = async (one: unknown) => {
    sent.push(one);
    return { status: answer.status, headers: {}, body: { message: answer.message } };
  };
  const access = { connection: { request, send }, caches: { expectWrite: () => undefined } } as unknown as ChangeAccess;
  return { ...podOperations(access), patches, sent };
}

test('the patch that removes a label also keeps pruners from the pod', async () => {
  const { removeEndpoints, patches } = openPod({}, { app: 'web', 'app.kubernetes.io/instance': 'shop' });
  await removeEndpoints(pod, ['app'], 'run-1');
  expect(patches).toMatchObject([{ labels: { app: null }, annotations: kept }]);
});

test.each([
  ['admission denies it', 403, 'admission webhook "labels" denied the request: app is required', true],
  ['a webhook supports no dry run', 400, 'admission webhook "labels" does not support dry run', false],
  ['the pod has changed', 409, 'the object has been modified', false],
  ['nothing is against it', 200, '', false],
])('a removal is tried without a change, and where %s that is said', async (_, status, message, isDenied) => {
  const { tryRemoveEndpoints, patches, sent } = openPod({}, { app: 'web' }, { status, message });
  expect(await tryRemoveEndpoints(pod, ['app'])).toBe(isDenied ? message : undefined);
  expect(sent).toMatchObject([
    { query: { dryRun: 'All' }, body: { metadata: { uid: 'uid-1', labels: { app: null } } } },
  ]);
  expect(patches).toEqual([]);
});

test('what an older version removed is restored without annotations that it did not set', async () => {
  const mark = JSON.stringify({ by: 'run-1', originalLabels: { app: 'web' } });
  const { restoreEndpoints, patches } = openPod({ [removedLabelsAnnotation]: mark, [sync]: 'Prune=false' }, {});
  expect(await restoreEndpoints(pod, 'run-1')).toBe('done');
  expect(patches).toEqual([
    { labels: { app: 'web' }, annotations: { [removedLabelsAnnotation]: null }, resourceVersion: '7' },
  ]);
});

test('what an older version removed is kept from pruners once another run takes it over', async () => {
  const mark = JSON.stringify({ by: 'run-0', originalLabels: { app: 'web' } });
  const { removeEndpoints, patches } = openPod({ [removedLabelsAnnotation]: mark }, {});
  expect(await removeEndpoints(pod, ['app'], 'run-1')).toBe('done');
  expect(patches).toMatchObject([{ annotations: kept }]);
});
