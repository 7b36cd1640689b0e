/** One call: the parts of its path by name, its query, and its body. */
export interface ComputeCall {
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Answers calls of one method. */
export type Handler = (call: ComputeCall) => object | Promise<object>;
