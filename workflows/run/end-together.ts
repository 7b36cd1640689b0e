/** Runs parts of a run side by side. When one fails, the others end first: none may act once the run has gone on to roll back. */
export async function endTogether(parts: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(parts)).find((part) => part.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
