import { AwsError } from '../codec/errors.ts';

/** Codes as they are on the wire (ELBv2 API reference, "Errors" of each operation); all of them are status 400. */
type ElbErrorCode =
  | 'DuplicateListener'
  | 'DuplicateLoadBalancerName'
  | 'DuplicateTargetGroupName'
  | 'InvalidConfigurationRequest'
  | 'InvalidTarget'
  | 'ListenerNotFound'
  | 'LoadBalancerNotFound'
  | 'OperationNotPermitted'
  | 'ResourceInUse'
  | 'SubnetNotFound'
  | 'TargetGroupAssociationLimit'
  | 'TargetGroupNotFound'
  | 'ValidationError';

/** An error of the ELBv2 API. */
export function elbError(code: ElbErrorCode, message: string): AwsError {
  return new AwsError(code, message);
}
