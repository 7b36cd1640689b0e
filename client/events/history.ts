/** The history of a workflow, as Temporal has recorded it. No worker is needed to read it. */
import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { TemporalConnection } from '../connect.ts';
import { decodePayloads } from './decode-payloads.ts';

/** One event of a history. */
export type HistoryEvent = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>[number];

/** One execution of a workflow. */
export interface Execution {
  readonly workflowId: string;
  readonly runId: string;
}

/** The events after the one with the number `after`, oldest first, with payloads that are decoded. They are read backwards, so that little is read of what is known. */
export async function readHistory(
  connection: TemporalConnection,
  execution: Execution,
  after: number,
): Promise<readonly HistoryEvent[]> {
  const { client, namespace } = connection;
  const found: HistoryEvent[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const { page, events, fresh } = await connection.within(async () => {
      const page = await client.workflowService.getWorkflowExecutionHistoryReverse({
        namespace,
        execution,
        ...(after === 0 ? {} : { maximumPageSize: 20 }),
        ...(nextPageToken === undefined ? {} : { nextPageToken }),
      });
      const events = page.history?.events ?? [];
      const fresh = events.filter((event) => numberOf(event) > after);
      await decodePayloads(connection, execution.workflowId, fresh);
      return { page, events, fresh };
    });
    found.push(...fresh);
    if (fresh.length < events.length) break;
    nextPageToken = page.nextPageToken;
  } while (nextPageToken.length > 0);
  return found.toReversed();
}

/** The number of an event in its history, from 1. */
export function numberOf({ eventId }: HistoryEvent): number {
  return Number(eventId);
}

/** When an event was recorded, epoch ms. */
export function timeOf({ eventTime }: HistoryEvent): number {
  return Number(eventTime?.seconds ?? 0) * 1000 + Math.floor((eventTime?.nanos ?? 0) / 1_000_000);
}

/** The first of some payloads, as plain data of a form that its reader checks. */
export function firstOf(payloads: { readonly payloads?: Payload[] | null } | null | undefined): Fields {
  return fieldsOf(payloads?.payloads?.[0]);
}

/** The content of a payload. What is not an object has no fields. */
export function fieldsOf(payload: Payload | null | undefined): Fields {
  const value = valueOf(payload);
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** The content of a payload. */
export function valueOf(payload: Payload | null | undefined): unknown {
  return payload ? defaultPayloadConverter.fromPayload(payload) : undefined;
}

/** Data from a history, perhaps of another version: nothing is known of its fields. */
export type Fields = Readonly<Record<string, unknown>>;

/** A field that is an object. */
export function objectIn(fields: Fields, name: string): Fields {
  const value = fields[name];
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** A field that is a list of objects. */
export function listIn(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}

/** A field that is a text. */
export function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

/** A field that is a number. */
export function numberIn(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return typeof value === 'number' ? value : undefined;
}
