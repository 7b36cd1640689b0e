import { createHash } from 'node:crypto';
import { hostname } from 'node:os';

import { NodeferryError } from '../../core/model/problem.ts';
import type { NodeEvent } from '../../ports/cluster/events.ts';
import type { Connection } from './connection.ts';
import { answerError } from './errors.ts';

/** Events of cluster-scoped objects live in this namespace (kubernetes pkg/apis/core/validation, ValidateEvent). */
const namespace = 'default';
const maxNoteLength = 1024;
const maxNameLength = 128;

interface EventObject {
  readonly metadata: { readonly resourceVersion: string };
  readonly series?: { readonly count: number };
}

/**
 * Records an Event (events.k8s.io/v1) that `kubectl describe node` shows. The same reason and message for the same node again increases the count of
 * one Event instead of adding another. @throws NodeferryError; the caller must not fail a step because of an Event
 */
async function writeEvent(connection: Connection, event: NodeEvent, now: number): Promise<void> {
  const name = eventName(event);
  const time = new Date(now).toISOString().replace('Z', '000Z');
  const created = await connection.request({
    resource: 'events',
    verb: 'create',
    namespace,
    body: {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name, namespace },
      eventTime: time,
      type: event.type,
      reason: event.reason.slice(0, maxNameLength),
      note: event.message.slice(0, maxNoteLength),
      action: event.reason.slice(0, maxNameLength),
      regarding: { apiVersion: 'v1', kind: 'Node', name: event.node.name, uid: event.node.uid },
      reportingController: 'nodeferry.dev/worker',
      reportingInstance: hostname().slice(0, maxNameLength),
    },
  });
  if (created.status === 201) return;
  if (created.status !== 409) throw answerError(created, { resource: 'events', verb: 'create' });
  await countAgain(connection, name, time);
}

async function countAgain(connection: Connection, name: string, time: string): Promise<void> {
  const event = await connection.fetch<EventObject>({ resource: 'events', verb: 'get', namespace, name });
  const patched = await connection.request({
    resource: 'events',
    verb: 'patch',
    namespace,
    name,
    body: {
      metadata: { resourceVersion: event.metadata.resourceVersion },
      // The first Event has no series; its repetition is the second.
      series: { count: (event.series?.count ?? 1) + 1, lastObservedTime: time },
    },
  });
  // Somebody else increased the count at the same moment: counting once is enough.
  if (patched.status !== 200 && patched.status !== 409)
    throw answerError(patched, { resource: 'events', verb: 'patch' });
}

function eventName({ node, reason, message, type }: NodeEvent): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([node.uid, type, reason, message]))
    .digest('hex')
    .slice(0, 16);
  return `${node.name.slice(0, 230)}.${hash}`;
}

/** Writes Events and calls `onLost` for those that could not be written. */
export function eventRecorder(
  connection: Connection,
  onLost: (error: NodeferryError) => void,
): (event: NodeEvent) => Promise<void> {
  return async (event) => {
    try {
      await writeEvent(connection, event, Date.now());
    } catch (error) {
      onLost(
        error instanceof NodeferryError ? error : new NodeferryError({ code: 'Internal', message: String(error) }),
      );
    }
  };
}
