import { AwsError } from '../codec/errors.ts';

/** The EKS API's own errors with their HTTP status (EKS API reference, "Errors" of each operation). */
const statuses = {
  InvalidParameterException: 400,
  InvalidRequestException: 400,
  NotFoundException: 404,
  ResourceInUseException: 409,
  ResourceLimitExceededException: 400,
  ResourceNotFoundException: 404,
} as const;

/** An error of the EKS API; members are e.g. `clusterName` and `nodegroupName`. */
export function eksError(
  code: keyof typeof statuses,
  message: string,
  members: Readonly<Record<string, string>> = {},
): AwsError {
  return new AwsError(code, message, statuses[code], members);
}
