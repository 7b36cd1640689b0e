/** Size of plain data in a payload, bytes. */
export function bytesOf(data: unknown): number {
  return new TextEncoder().encode(JSON.stringify(data)).length;
}
