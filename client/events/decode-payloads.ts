import type { Payload } from '@temporalio/common';
import { decode } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { TemporalConnection } from '../connect.ts';

/**
 * Fields whose payloads stay as they are. The server itself reads search attributes, and clients read headers, before anything is decoded
 * (docs.temporal.io, "Search Attributes"). The inputs of steps are large, and nobody reads them here.
 */
const untouched: ReadonlySet<string> = new Set(['searchAttributes', 'header', 'activityTaskScheduledEventAttributes']);

/**
 * Decodes the payloads of these events of a history, in place, as the SDK does with those that it reads itself. Throws what the SDK would for a payload that the codecs of
 * this process can't decode, or that has to be decoded although there are none.
 */
export async function decodePayloads(
  { client, namespace }: TemporalConnection,
  workflowId: string,
  events: readonly object[],
): Promise<void> {
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  const context = { type: 'workflow', namespace, workflowId } as const;
  await replaceIn(events, async (encoded) => {
    const [payload = encoded] = await decode(payloadCodecs, [encoded], context);
    payloadConverter.fromPayload(payload);
    return payload;
  });
}

async function replaceIn(value: object, decoded: (payload: Payload) => Promise<Payload>): Promise<void> {
  await Promise.all(
    Object.entries(value).map(async ([name, field]: [string, unknown]) => {
      if (typeof field !== 'object' || field === null || field instanceof Uint8Array || untouched.has(name)) return;
      if (isPayload(field)) Object.assign(value, { [name]: await decoded(field) });
      else await replaceIn(field, decoded);
    }),
  );
}

function isPayload(value: object): value is Payload {
  return 'metadata' in value && 'data' in value && value.data instanceof Uint8Array;
}
