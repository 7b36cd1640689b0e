import { setTimeout as delay } from 'node:timers/promises';

import { NodeferryError } from '../../core/model/problem.ts';
import type { Caches } from './caches.ts';
import type { Connection } from './connection.ts';
import { answerError } from './errors.ts';
import type { WatchedObject } from './reflector.ts';

/** How objects are changed. */
export interface ChangeAccess {
  readonly connection: Connection;
  readonly caches: Caches;
  /** Asked before each change, after the read that it is decided on. A rejection prevents the change. */
  readonly beforeChange?: () => Promise<void>;
}

/** Object to change, identified so that no other object can be changed by mistake. */
interface ObjectRef {
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
}

/** What to do with the object as it is now. `patch` (a JSON merge patch) is absent when nothing has to change. */
export interface Decision<T> {
  readonly outcome: T;
  readonly patch?: { readonly metadata?: object; readonly spec?: object };
}

const attempts = 10;

/**
 * Reads an object, decides, and changes exactly what was read. The patch carries the resourceVersion that the decision is based on, so it fails if
 * anything has changed since, including the object's identity. Then everything starts again. Returns `gone` when the object does not exist or has
 * another UID. @throws NodeferryError
 */
export async function changeObject<R extends WatchedObject, T>(
  { connection, caches, beforeChange }: ChangeAccess,
  resource: 'nodes' | 'pods',
  ref: ObjectRef,
  decide: (object: R) => Decision<T>,
): Promise<T | 'gone'> {
  const target = { resource, name: ref.name, ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }) };
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const read = await connection.request({ ...target, verb: 'get' });
    if (read.status === 404) return 'gone';
    if (read.status !== 200) throw answerError(read, { resource, verb: 'get' });
    const object = read.body as R;
    if (object.metadata?.uid !== ref.uid) return 'gone';
    const { outcome, patch } = decide(object);
    if (patch === undefined) return outcome;
    await beforeChange?.();

    const body = { ...patch, metadata: { ...patch.metadata, resourceVersion: object.metadata.resourceVersion } };
    const written = await connection.request({ ...target, verb: 'patch', body });
    if (written.status === 200) {
      caches.expectWrite(resource, written.body as WatchedObject);
      return outcome;
    }
    if (written.status === 404) return 'gone';
    if (written.status !== 409) throw answerError(written, { resource, verb: 'patch' });
    await delay(20 * 2 ** attempt);
  }
  throw new NodeferryError({
    code: 'Conflict',
    message: `${resource} ${ref.name} changed during each of ${attempts} attempts to patch it`,
  });
}

/** Deletes the object with that UID and no other. @throws NodeferryError */
export async function deleteObject(
  { connection, caches, beforeChange }: ChangeAccess,
  resource: 'nodes' | 'pods',
  ref: ObjectRef,
): Promise<'done' | 'gone'> {
  const { namespace, name, uid } = ref;
  await beforeChange?.();
  const answer = await connection.request({
    resource,
    verb: 'delete',
    name,
    ...(namespace === undefined ? {} : { namespace }),
    body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } },
  });
  // The only precondition is the UID: a conflict means that another object has this name now.
  if (answer.status === 404 || answer.status === 409) return 'gone';
  if (answer.status !== 200 && answer.status !== 202) throw answerError(answer, { resource, verb: 'delete' });
  caches.expectDeletion(resource, ref);
  return 'done';
}
