/** Size of plain data in a payload, bytes. */
export function bytesOf(data: unknown): number {
  return new TextEncoder().encode(JSON.stringify(data)).length;
}

/** The most that a payload may weigh: Temporal takes none above 2 MB (temporalio/temporal, `limit.blobSize.error`), and some is left for what it adds. */
export const maxPayloadBytes = 1_500_000;
