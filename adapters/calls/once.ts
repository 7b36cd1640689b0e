/** Creates something at its first use; after a failure, anew. */
export function once<T>(create: () => Promise<T>): () => Promise<T> {
  let created: Promise<T> | undefined;
  return async () => {
    created ??= create();
    try {
      return await created;
    } catch (error) {
      created = undefined;
      throw error;
    }
  };
}
