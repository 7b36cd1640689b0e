import type { WorkflowHandle } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { decode, encode } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { NodeferryError } from '../core/model/problem.ts';
import { statusQuery } from '../workflows/messages.ts';
import type { TemporalConnection } from './connect.ts';

/**
 * Makes sure that the workers of a run encode payloads as this command does, before it sends any: a message that no worker can decode stays in the
 * history of the run, which can't continue then. Without a codec there is nothing to check, because every worker reads plain payloads.
 * @throws NodeferryError InvalidArgument when they have another codec, another key or none
 */
export async function requireSameCodec(connection: TemporalConnection, { workflowId }: WorkflowHandle): Promise<void> {
  const { client, namespace } = connection;
  const { payloadCodecs } = client.options.loadedDataConverter;
  if (payloadCodecs.length === 0) return;
  const context = { type: 'workflow', namespace, workflowId } as const;
  await connection.within(async () => {
    const { queryResult } = await client.workflowService.queryWorkflow({
      namespace,
      execution: { workflowId },
      query: { queryType: statusQuery.name },
    });
    const theirs = queryResult?.payloads ?? [];
    const ours = await encode(payloadCodecs, await decode(payloadCodecs, theirs, context), context);
    if (encodingsOf(theirs) === encodingsOf(ours)) return;
    throw new NodeferryError({
      code: 'InvalidArgument',
      message: `The workers of ${workflowId} encode payloads as ${encodingsOf(theirs)}, and this command as ${encodingsOf(ours)}: nothing was sent.`,
      hint: 'Set NODEFERRY_PAYLOAD_CODEC to the same codec for workers and commands (docs/encryption.md).',
    });
  });
}

/** How payloads are encoded, as the SDK names it in their metadata. */
function encodingsOf(payloads: readonly Payload[]): string {
  return payloads.map(({ metadata }) => new TextDecoder().decode(metadata?.['encoding'])).join(', ');
}
