/** Status codes of gRPC that Google's services use here (google/rpc/code.proto). */
type GoogleCode =
  | 'INVALID_ARGUMENT'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'FAILED_PRECONDITION'
  | 'ABORTED'
  | 'UNIMPLEMENTED'
  | 'INTERNAL'
  | 'UNAVAILABLE';

/** One detail of an error: name of the message type and its fields (google/rpc/error_details.proto). */
type ErrorDetail = readonly [type: string, fields: Readonly<Record<string, unknown>>];

/** An error that the simulated GKE answers with. */
export class RpcError extends Error {
  readonly code: GoogleCode;
  readonly details: readonly ErrorDetail[];

  constructor(code: GoogleCode, message: string, details: readonly ErrorDetail[] = []) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** An error that the simulated Compute Engine answers with. */
export class HttpError extends Error {
  readonly status: number;
  /** E.g. `rateLimitExceeded`. */
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** What GKE says when it does not know something (the form is that of rancher/gke-operator issue 509). */
export function notFound(name: string): RpcError {
  return new RpcError('NOT_FOUND', `Not found: ${name}.`);
}

/** What Compute Engine says when it does not know something. */
export function noResource(project: string, path: string): HttpError {
  return new HttpError(404, 'notFound', `The resource 'projects/${project}/${path}' was not found`);
}
