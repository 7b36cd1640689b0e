/** An error response of AWS: handlers throw it, and the codec writes it in the service's protocol. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  /** The code on the wire, e.g. `ValidationError` or `InvalidInstanceID.NotFound`. */
  readonly code: string;
  /** HTTP status. */
  readonly status: number;
  /** Further members of a modelled error, e.g. `nodegroupName` (restJson1 only). */
  readonly members: Readonly<Record<string, string>>;

  constructor(code: string, message: string, status = 400, members: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.members = members;
  }
}
